"""Packages of systems with OpenGL, EGL and a software driver, and with ffmpeg, for messages. Imports nothing.

`.ci/environment.sh` names the same ones of OpenGL before the libraries of Python are installed.
"""

INSTALL_OPENGL = {  # system: command, to be run as root
    "Debian, Ubuntu": "apt-get install libgl1 libegl1 libglx-mesa0 libegl-mesa0 libgl1-mesa-dri",
    "Fedora": "dnf install mesa-libGL mesa-libEGL mesa-dri-drivers",
    "Arch": "pacman -S mesa",
}
INSTALL_FFMPEG = {  # system: command
    "Debian, Ubuntu": "apt-get install ffmpeg",
    "Fedora": "dnf install ffmpeg-free",
    "Arch": "pacman -S ffmpeg",
    "macOS": "brew install ffmpeg",
    "Windows": "winget install Gyan.FFmpeg",
}


def how_to_install_opengl() -> str:
    """One line with the command of each system."""
    return "as root: " + "; ".join(f"{command} ({system})" for system, command in INSTALL_OPENGL.items())


def how_to_install_ffmpeg() -> str:
    """One line with the command of each system."""
    return "; ".join(f"{command} ({system})" for system, command in INSTALL_FFMPEG.items())
