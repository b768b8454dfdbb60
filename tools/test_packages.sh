#!/bin/sh
# Install the Debian packages that some tests need, if this is Debian and we are root.
# Where that cannot be, the tests that need them say so.
set -u
missing=
[ -x /usr/sbin/sshd ] || missing="$missing openssh-server"
command -v chromium >/dev/null 2>&1 || missing="$missing chromium"
[ -d /usr/share/fonts/opentype/noto ] || missing="$missing fonts-noto-cjk"
# its package starts a server on port 80, which only a machine for tests can take
[ -z "${CI:-}" ] || [ -x /usr/sbin/nginx ] || missing="$missing nginx-light"
[ -n "$missing" ] || exit 0
[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 || exit 0

echo "Installing for the tests:$missing" >&2
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086
{ apt-get -q update && apt-get -qy install --no-install-recommends $missing; } >&2 ||
    echo "Could not install:$missing; the tests that need them are skipped." >&2
exit 0
