"""What a build directory installs, in a folder of a test's own."""
import subprocess

import tracing


def install(build_root, destination, tags):
    """Files with these install tags, under a DESTDIR; what is installed has been built."""
    command = ["meson", "install", "-C", build_root, "--no-rebuild", "--tags", tags, "--destdir", destination]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        raise tracing.Failure(f"{command}: {result.stdout}{result.stderr}")
