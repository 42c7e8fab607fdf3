# Sourced by ./drive and ./test: functions that make a virtual environment in .venv with the locked packages and, on
# Debian or Ubuntu, install missing system packages. What is already installed is not touched.

say() { printf '%s\n' "$*" >&2; }

# Runs a command as root: directly, or through sudo (which may ask for a password only on a terminal).
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

# Installs missing system packages. On other systems, or without permission, it only names them, as not all are needed.
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

# Finds a Python for which the locked packages exist.
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

# Makes the virtual environment from the given lock files. Meanwhile a file contains the number of the process: the next
# start after a kill finds it and starts again, and of two simultaneous starts the second waits for the first.
install_environment() {
    [ ! -e "$installing" ] && .venv/bin/python -c '' 2>/dev/null && are_installed "$@" && return 0
    begin_installing && make_environment && install_requirements "$@" && end_installing
}

installing=.venv.installing

# Number of the process that made a lock file, or "". One made just now may not have its number yet.
holder_of() {
    number=$(cat "$1" 2>/dev/null || true)
    if [ -e "$1" ] && [ -z "$number" ]; then
        sleep 1
        number=$(cat "$1" 2>/dev/null || true)
    fi
    printf '%s' "$number"
}

begin_installing() {
    waiting=
    until (set -C && echo $$ >"$installing") 2>/dev/null; do # -C: fails if the file exists
        other=$(holder_of "$installing")
        if [ ! -w . ]; then
            say "The environment has to be made or completed, and there is no right to write in $(pwd)."
            return 1
        elif [ -n "$other" ] && [ "$other" != $$ ] && kill -0 "$other" 2>/dev/null; then
            [ -n "$waiting" ] || say "Waiting for process $other, which is installing. If it is not, delete $installing."
            waiting=yes
            sleep 1
        elif take_over "$other"; then
            break
        fi
    done
    trap end_installing EXIT # a failed start, as without a network, removes the file
}

# Takes over from the start of this number ("" if it wrote none), which ended while installing. Of several starts that
# found the same number only one may, so it holds a second file meanwhile and looks at the number again.
take_over() {
    claim=$installing.claim
    if ! (set -C && echo $$ >"$claim") 2>/dev/null; then
        if kill -0 "$(holder_of "$claim")" 2>/dev/null; then sleep 1; else rm -f "$claim"; fi
        return 1
    fi
    taken=1
    if [ -e "$installing" ] && [ "$(cat "$installing")" = "$1" ]; then
        say "The last start ended while it was installing: making a new virtual environment"
        rm -rf .venv
        echo $$ >"$claim.new"
        mv -f "$claim.new" "$installing" # never absent or empty, which other starts would take for their turn
        taken=0
    fi
    rm -f "$claim"
    return $taken
}

end_installing() {
    trap - EXIT
    rm -f "$installing"
}

# What to install for Python and its module venv.
say_python_packages() {
    say "  Debian, Ubuntu: apt-get install python3 python3-venv
  Fedora:         dnf install python3.13
  Arch:           pacman -S python, or Python 3.13 if that is newer (uv python install 3.13)
  macOS:          brew install python@3.13"
}

make_environment() {
    python=$(find_python) || {
        if is_debian && install_packages python3 python3-venv && python=$(find_python); then :; else
            say "Python 3.11, 3.12 or 3.13 is needed and was not found; set PYTHON to it if it has another name. As root:"
            say_python_packages
            return 1
        fi
    }
    .venv/bin/python -m pip --version >/dev/null 2>&1 && return 0 # without pip it was left unfinished
    say "Making the virtual environment .venv with $python"
    if ! "$python" -m venv --clear .venv >/dev/null 2>&1; then
        version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        install_packages python3-venv || true
        "$python" -m venv --clear .venv >/dev/null 2>&1 || install_packages "python$version-venv" || true
        "$python" -m venv --clear .venv || {
            say "The virtual environment could not be made: Python's venv module is missing. As root:"
            say_python_packages
            return 1
        }
    fi
}

# Whether the given lock files are those installed last.
are_installed() {
    stamp=.venv/installed-$(printf '%s-' "$@" | tr -c 'a-z0-9.\n' '-')
    wanted=$(cat "$@" | cksum)
    [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]
}

# Installs Python packages from the given lock files if these have changed. A file whose hash is not in the lock file is
# refused.
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

# Installs software OpenGL, unless there is a driver.
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
