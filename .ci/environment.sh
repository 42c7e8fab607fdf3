# Sourced by ./drive and ./test: a virtual environment in .venv with the locked packages, and on Debian or Ubuntu
# the system packages that are missing. Everything already there is left alone; a second start costs nothing.

say() { printf '%s\n' "$*" >&2; }

# A command as root: directly, or through sudo (which may ask for a password only where somebody can answer).
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null 2>&1; then
        if [ -t 0 ]; then sudo "$@"; else sudo -n "$@"; fi
    else
        return 1
    fi
}

is_debian() { command -v apt-get >/dev/null 2>&1 && command -v dpkg-query >/dev/null 2>&1; }

missing_packages() {
    for package in "$@"; do
        state=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
        [ "$state" = "install ok installed" ] || printf '%s ' "$package"
    done
}

# Install system packages. Elsewhere, or without rights, name what is missing and go on: it may not be needed here.
install_packages() {
    is_debian || return 1
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    say "Installing system packages: $missing"
    # shellcheck disable=SC2086 # one word per package is meant
    if as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq update >&2 &&
        as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $missing >&2; then
        return 0
    fi
    say "They could not be installed. As root: apt-get install $missing"
    return 1
}

# A Python that the locked packages have been made for.
find_python() {
    for candidate in "${PYTHON:-python3}" python3.13 python3.12 python3.11; do
        if command -v "$candidate" >/dev/null 2>&1 &&
            "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null; then
            command -v "$candidate"
            return 0
        fi
    done
    return 1
}

# The virtual environment with the requirements of the files named. While it is made, a file holds the process' number:
# after a kill the next start finds it and begins anew; of two starts at once the second waits for the first.
install_environment() {
    [ ! -e "$installing" ] && .venv/bin/python -c '' 2>/dev/null && are_installed "$@" && return 0
    begin_installing && make_environment && install_requirements "$@" && end_installing
}

installing=.venv.installing

begin_installing() {
    waiting=
    until (set -C && echo $$ >"$installing") 2>/dev/null; do # -C: only where there is none yet
        other=$(cat "$installing" 2>/dev/null || true)
        if [ ! -w . ]; then
            say "The environment has to be made or completed, and there is no right to write in $(pwd)."
            return 1
        elif [ -n "$other" ] && [ "$other" != $$ ] && kill -0 "$other" 2>/dev/null; then
            [ -n "$waiting" ] || say "Waiting for process $other, which is installing. If it is not, delete $installing."
            waiting=yes
            sleep 1
        elif [ -e "$installing" ]; then
            say "The last start ended while it was installing: making a new virtual environment"
            rm -rf .venv "$installing"
        fi
    done
    trap end_installing EXIT # what fails by itself, as pip without a network does, leaves nothing half done
}

end_installing() {
    trap - EXIT
    rm -f "$installing"
}

make_environment() {
    python=$(find_python) || {
        if is_debian && install_packages python3 python3-venv && python=$(find_python); then :; else
            say "Python 3.11, 3.12 or 3.13 is needed and was not found; set PYTHON to it if it has another name."
            return 1
        fi
    }
    [ -x .venv/bin/python ] && .venv/bin/python -c '' 2>/dev/null && return 0
    say "Making the virtual environment .venv with $python"
    if ! "$python" -m venv --clear .venv >/dev/null 2>&1; then
        version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        install_packages python3-venv || true
        "$python" -m venv --clear .venv >/dev/null 2>&1 || install_packages "python$version-venv" || true
        "$python" -m venv --clear .venv || {
            say "The virtual environment could not be made: Python's venv module is missing (package python3-venv)."
            return 1
        }
    fi
}

# Whether the files named are those of the last time.
are_installed() {
    stamp=.venv/installed-$(printf '%s-' "$@" | tr -c 'a-z0-9.\n' '-')
    wanted=$(cat "$@" | cksum)
    [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]
}

# Python packages from the lock files named, only when these have changed since the last time. A file whose hash is not
# in the lock is refused.
install_requirements() {
    are_installed "$@" && return 0
    say "Installing Python packages from: $*"
    files=
    for file in "$@"; do files="$files -r $file"; done
    # shellcheck disable=SC2086
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes $files || {
        say "The Python packages could not be installed (see the lines above)."
        return 1
    }
    printf '%s\n' "$wanted" >"$stamp"
}

# Software OpenGL, unless a driver is there already.
install_opengl() {
    [ "$(uname -s)" = Linux ] || return 0
    libraries=$({ ldconfig -p || /sbin/ldconfig -p; } 2>/dev/null || true)
    found=0
    for name in libGL.so.1 libEGL.so.1 libGLX_ libEGL_; do
        case $libraries in *"$name"*) found=$((found + 1)) ;; esac
    done
    [ "$found" = 4 ] && return 0
    install_packages libgl1 libegl1 libglx-mesa0 libegl-mesa0 libgl1-mesa-dri ||
        say "OpenGL seems to be missing: libGL.so.1, libEGL.so.1 and a driver for them (Mesa's will do). As root:
  Debian, Ubuntu: apt-get install libgl1 libegl1 libglx-mesa0 libegl-mesa0 libgl1-mesa-dri
  Fedora:         dnf install mesa-libGL mesa-libEGL mesa-dri-drivers
  Arch:           pacman -S mesa"
}
