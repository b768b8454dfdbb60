#!/bin/sh
# Build .venv from the lock files; does nothing when they have not changed.
# usage: tools/setup.sh app|dev
set -eu
cd "$(dirname "$0")/.."
kind=$1
[ "$kind" = dev ] && locks="requirements/app.txt requirements/dev.txt" || locks="requirements/app.txt"

usable() { # a Python that is new enough and can make an environment with pip in it
    command -v "$1" >/dev/null 2>&1 &&
        "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

find_python() {
    for name in ${PYTHON:-} python3 python3.13 python3.12 python3.11 python3.14; do
        if usable "$name"; then
            echo "$name"
            return
        fi
    done
}

install_venv() { # Debian keeps venv in a package of its own
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 || return 0
    echo "Installing python3-venv ..." >&2
    { apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -qy install python3-venv; } >&2 ||
        true
}

stamp=.venv/.made-for-$kind
# shellcheck disable=SC2086
wanted=$(cat $locks pyproject.toml tools/setup.sh | cksum)
if [ -x .venv/bin/walissh ] && .venv/bin/python -c '' 2>/dev/null &&
    [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then
    exit 0
fi

if ! .venv/bin/python -c 'import pip' 2>/dev/null; then
    python=$(find_python)
    if [ -z "$python" ]; then
        install_venv
        python=$(find_python)
    fi
    if [ -z "$python" ]; then
        echo "No usable Python was found. Install Python 3.11 or newer with its venv module" \
            "(Debian: apt install python3-venv), or name one: make PYTHON=/path/to/python3" >&2
        exit 1
    fi
    echo "Building .venv with $("$python" --version) ..." >&2
    rm -rf .venv
    "$python" -m venv .venv
fi

rm -f .venv/.made-for-*
requirements=
for lock in $locks; do requirements="$requirements -r $lock"; done
pip=".venv/bin/python -m pip --disable-pip-version-check -q"
echo "Installing the packages (a minute or two) ..." >&2
# shellcheck disable=SC2086
$pip install --require-hashes $requirements
$pip install --no-deps --no-build-isolation -e .
if [ "$kind" = dev ]; then # it holds all that app holds
    cat requirements/app.txt pyproject.toml tools/setup.sh | cksum >.venv/.made-for-app
fi
echo "$wanted" >"$stamp"
