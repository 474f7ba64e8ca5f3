"""The system's libomp in libgomp's place, for programs that gcc built and that run untraced."""
import os
import pathlib
import subprocess


def installed():
    """The path of libomp.so.5, or None. Ordinary users have no ldconfig in PATH."""
    places = os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin"
    listed = subprocess.run(["ldconfig", "-p"], env={**os.environ, "PATH": places}, capture_output=True, text=True,
                            check=True).stdout.splitlines()
    return next((line.split(" => ")[1] for line in listed if line.split()[:1] == ["libomp.so.5"]), None)


def as_libgomp(folder):
    """Makes a folder in which libgomp.so.1 is libomp, as stave record makes one. Returns it, or None."""
    library = installed()
    if library is None:
        return None
    folder = pathlib.Path(folder)
    folder.mkdir()
    (folder / "libgomp.so.1").symlink_to(library)
    return folder
