#!/bin/sh
# Write the lock files anew; no address of a package index gets into them.
set -eu
cd "$(dirname "$0")/.."
compile() {
    CUSTOM_COMPILE_COMMAND="make lock" .venv/bin/pip-compile -q --upgrade --generate-hashes \
        --allow-unsafe --strip-extras --no-emit-options --no-emit-index-url \
        --no-emit-find-links "$@"
}
compile -o requirements/app.txt pyproject.toml requirements/app.in
compile -o requirements/dev.txt requirements/dev.in
compile -o requirements/fuzz.txt requirements/fuzz.in
