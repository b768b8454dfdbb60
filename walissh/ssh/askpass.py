"""The far side of a password for sudo: a private folder with a program that asks for it.

sudo without a terminal runs the program in ``SUDO_ASKPASS`` (and looks at it only when
``DISPLAY`` is set). Ours holds no secret: it names itself and its sudo through a pipe to the
shell that started the command. That shell says so on its standard error, gets the password on
its standard input and hands it back through another pipe. The command's own input is untouched.
"""

import re

PREFIX = ":sudo:"
_NONE = "none"
_ASKED = re.compile(r":sudo:(\d{1,10}):(\d{1,10}):")

# Its first line asks for a shell that has printf built in: another one would show the password
# in the list of processes. With no argument it only tells whether it can be run at all.
PROGRAM = r"""#!/bin/sh
case $(command -v printf) in printf) ;; *) exit 1 ;; esac
[ $# -gt 0 ] || exit 0
if read -r name 2>/dev/null </proc/$PPID/comm; then
    case $name in sudo*) ;; *) exit 1 ;; esac
fi
pipe=${0%/*}/$$
mkfifo -m 600 "$pipe" || exit 1
trap 'rm -f "$pipe"' 0
exec 6<>"$pipe"
echo "$$ $PPID" >"${0%/*}/q"
IFS= read -r said <&6
case $said in y*) printf '%s\n' "${said#y}" ;; *) exit 1 ;; esac
"""

# Make the folder where programs may be run, and start the relay. The command runs as ever.
PREPARE = (
    'p=${c%%"@MARK"*}; c=${c#*"@MARK"}; d=; '
    'try() { d=$(umask 077; mktemp -d "$1/.walissh-@RUN.XXXXXX") || { d=; return; }; '
    'mkfifo -m 600 "$d/q" && printf "%s" "$p" >"$d/ask" && chmod 700 "$d/ask" && "$d/ask" '
    '|| { rm -rf "$d"; d=; }; }; '
    'for t in "${TMPDIR:-/tmp}" "$XDG_RUNTIME_DIR" "$HOME"; do '
    'if [ -z "$d" ] && [ -d "$t" ]; then try "$t"; fi; done; p=; '
    'if [ -n "$d" ]; then exec 4<&0 5<>"$d/q"; '
    '(while read -r a b <&5; do echo "@MARK:sudo:$a:$b:" >&3; IFS= read -r w <&4 || w=n; '
    'if [ -p "$d/$a" ]; then case $w in (y*) printf "%s\\n" "$w";; (*) echo n;; esac >"$d/$a"; '
    "fi; w=; done) >/dev/null & z=$!; "
    'trap "kill $z; rm -rf \\"\\$d\\"" 0; trap "exit 143" 15; trap "exit 129" 1; '
    "SUDO_ASKPASS=$d/ask; DISPLAY=${DISPLAY:-:walissh}; SSH_ASKPASS_REQUIRE=never; "
    "export SUDO_ASKPASS DISPLAY SSH_ASKPASS_REQUIRE; "
    'else echo "@MARK:sudo:none:" >&3; fi; '
)

# What a run that was killed leaves behind.
SWEEP = (
    'rm -rf "${TMPDIR:-/tmp}"/.walissh-@RUN.?????? "$HOME"/.walissh-@RUN.??????'
    ' "${XDG_RUNTIME_DIR:-/tmp}"/.walissh-@RUN.?????? 2>/dev/null; '
)


def parse_request(line: str) -> str | None:
    """Return which sudo asks, from the rest of the line after the mark.

    "" if the line is not one of ours, None if no password can be handed over there at all.
    """
    found = _ASKED.fullmatch(line.strip())
    if found:
        return found[2]
    return None if line.strip() == f"{PREFIX}{_NONE}:" else ""


def answer(password: str | None) -> str:
    """Return the line that answers one request; None: there is no password for it."""
    return "n\n" if password is None else f"y{password}\n"
