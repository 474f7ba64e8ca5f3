"""Packages of npm that tests use, kept in ~/.cache/stave/npm ($XDG_CACHE_HOME): installed there by the first test that
needs them, where npm and its registry can be had."""
import os
import pathlib
import shutil
import subprocess

INSTALL_S = 120


def cache():
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "stave/npm"


def modules(*packages):
    """The folder node_modules with these, "NAME@VERSION"; None: they cannot be had."""
    if not shutil.which("node") or not shutil.which("npm"):
        return None
    folder = cache() / "-".join(packages).replace("/", "+")
    if not (folder / "whole").exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder, *packages]
        try:
            subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=INSTALL_S)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            return None
        (folder / "whole").touch()
    return folder / "node_modules"
