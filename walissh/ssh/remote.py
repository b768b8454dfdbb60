"""The lines that the far side runs: starting a command, and ending it.

The login shell may be any (bash, zsh, csh, fish), so its line is ``exec sh -c '...'`` with
nothing in the quotes that one of them would touch: no quote, exclamation mark, newline or
double backslash. The command itself comes by standard input and meets no shell but its own.
"""

import re
from dataclasses import dataclass

from walissh.ssh import askpass

_ENVIRONMENT = (
    "PAGER=cat GIT_PAGER=cat SYSTEMD_PAGER=cat MANPAGER=cat TERM=dumb "
    # an editor would wait for keys that never come
    "EDITOR=false VISUAL=false GIT_EDITOR=false GIT_TERMINAL_PROMPT=0 "
    "DEBIAN_FRONTEND=noninteractive"
)
_NAMES = " ".join(word.partition("=")[0] for word in _ENVIRONMENT.split())
_RUN_ID = re.compile(r"[A-Za-z0-9_.-]{1,128}")

# Find out whether this shell leads its session, as under OpenSSH; if not, make it lead one.
_LEAD = (
    'b=$1; e=") "; if [ -r /proc/$$/stat ]; then read -r a </proc/$$/stat; a=${a##*$e}; '
    'set -- $a; s=$4; else s=$(ps -o pgid= -p $$ | tr -d " "); fi; '
    'if [ "$s" = "$$" ]; then exec sh -c "$b" sh 1; fi; '
    'if command -v setsid >/dev/null 2>&1; then exec setsid sh -c "$b" sh 1; fi; '
    'exec sh -c "$b" sh 0'
)

# The machine's own id: no further process where the files of Linux are.
_MACHINE = (
    "m=; o=; if [ -d /proc/self ]; then o=linux; fi; "
    "for f in /etc/machine-id /var/lib/dbus/machine-id; do "
    'if [ -z "$m" ] && [ -r "$f" ]; then read -r m <"$f"; fi; done; '
    'if [ -z "$m$o" ]; then '
    "m=$({ sysctl -n kern.hostuuid || kenv -q smbios.system.uuid || sysctl -n hw.uuid || "
    "sysctl -n machdep.dmi.system-uuid || ioreg -rd1 -c IOPlatformExpertDevice | "
    "while read -r a b c; do case $a in (*IOPlatformUUID*) echo $c;; esac; done; } 2>/dev/null); "
    "fi; "
)

# Tell the process id, the shell and the machine, then read the command. It comes only now: a
# machine that is not the known one gets none, no start-up file of the login shell can eat of
# it; and it counts only with the mark at its end: a connection that broke off in between must
# not run half a command.
_RUN = (
    _MACHINE + "k=s; if command -v bash >/dev/null 2>&1; then k=b; fi; "
    'echo "@MARK:$$:$1:$k:$m:"; echo "@MARK:" >&2; c=$(@TAKE); '
    'case $c in (*"@MARK") c=${c%"@MARK"};; (*) exit 97;; esac; '
    "unset BASH_ENV ENV; WALISSH_RUN=@RUN @ENV; "
    "export WALISSH_RUN @NAMES; "
    "exec 3>&2 2>/dev/null; "  # this shell's own remarks, such as Terminated, are not output
    "@ASKPASS"
    "if [ $k = b ]; "
    'then bash --norc --noprofile -c "$c" </dev/null 2>&3 3>&- 4<&- 5<&-; '
    'else sh -c "$c" </dev/null 2>&3 3>&- 4<&- 5<&-; fi; '
    "exit $?"
)

# So many bytes and no more: what follows are answers. Not every head counts bytes.
_TAKE = (
    "if head -c 1 </dev/null 2>/dev/null; then head -c @SIZE; "
    "else dd bs=1 count=@SIZE 2>/dev/null; fi"
)

# Print the ids of what is left: by the marker in its environment, by its session or group.
_LIST = (
    "l() { if [ -d /proc/self ]; then "
    'if [ "$y" = 1 ]; then for f in /proc/[0-9]*/environ; do '
    'if tr "\\000" "\\n" 2>/dev/null <"$f" | grep -qF "$r"; then n "$f"; fi; done; '
    'else for f in $(grep -lF "$r" /proc/[0-9]*/environ 2>/dev/null); do n "$f"; done; fi; '
    'for f in /proc/[0-9]*/stat; do read -r a 2>/dev/null <"$f" || continue; '
    'a=${a##*$e}; q=${f#/proc/}; set -- $a; m "${q%/stat}" "$1" "$3" "$4"; done; '
    "else ps -A -o pid= -o stat= -o pgid= | "
    'while read -r q s h; do m "$q" "$s" "$h" "$h"; done; fi; }; '
    'n() { f=${1#/proc/}; echo "${f%/environ}"; }; '
    "m() { case $2 in (Z*|X*) return;; esac; "
    'if [ "$1" = "$p" ]; then echo "$1"; '
    'elif [ "$g" = 1 ]; then if [ "$3" = "$p" ] || [ "$4" = "$p" ]; then echo "$1"; fi; fi; }; '
)

_KILL = (
    'r=WALISSH_RUN=@RUN; p=@PID; g=@LEADS; e=") "; y=0; '
    # its grep stops at the first NUL, and an environment is full of them
    "case $(grep --help 2>&1) in (*BusyBox*) y=1;; esac; "
    + _LIST
    + 'k() { for q in $(l); do kill -"$1" "$q" '
    "2>/dev/null; done; }; w() { sleep 0.1 2>/dev/null || sleep 1; }; "
    'k TERM; i=0; while [ $i -lt 8 ] && [ -n "$(l)" ]; do w; i=$((i+1)); done; '
    'i=0; while [ $i -lt 8 ] && [ -n "$(l)" ]; do k KILL; w; i=$((i+1)); done; '
    + askpass.SWEEP
    + 'echo "@MARK:" $(l)'
)


_MACHINE_ID = re.compile(r"[0-9A-Fa-f][0-9A-Fa-f-]{6,62}[0-9A-Fa-f]")


@dataclass(frozen=True, slots=True)
class Started:
    """The process on the host; *leads* tells whether it has a session of its own.

    *bash*: the command meets bash, else sh. *machine_id* is what the machine calls itself, ""
    if it has no name for itself.
    """

    pid: int
    leads: bool
    bash: bool = True
    machine_id: str = ""


def start_line(mark: str, run_id: str, *, asking_bytes: int = 0) -> str:
    """Return the line that tells its process id and then takes ``start_input``.

    With *asking_bytes*, the length of an ``asking_input``, its input stays open after that for
    the answers to sudo.
    """
    take = _TAKE.replace("@SIZE", str(asking_bytes)) if asking_bytes else "cat"
    body = _RUN.replace("@ASKPASS", askpass.PREPARE if asking_bytes else "").replace("@TAKE", take)
    body = _fill(body, mark=mark, run_id=run_id)
    body = body.replace("@ENV", _ENVIRONMENT).replace("@NAMES", _NAMES)
    return f"exec sh -c '{_LEAD}' sh '{body}'"


def start_input(mark: str, command: bytes) -> bytes:
    """Return what the started line reads once it has told its id."""
    return command + mark.encode()


def asking_input(mark: str, command: bytes) -> bytes:
    """Return what it reads of a command that sudo may ask a password for."""
    return askpass.PROGRAM.encode() + mark.encode() + start_input(mark, command)


def parse_start(line: str) -> Started | None:
    """Read the rest of the line after the mark (``:pid:leads:shell:id:``); None if broken."""
    found = re.fullmatch(r":(\d+):([01]):([bs]):(.*):", line.strip())
    if found is None:
        return None
    return Started(int(found[1]), found[2] == "1", found[3] == "b", _machine_id(found[4]))


def _machine_id(told: str) -> str:
    """Return the id in one form; "" for none, such as all zeros or ``uninitialized``."""
    told = told.strip().strip('"').lower()
    return told if _MACHINE_ID.fullmatch(told) and told.strip("0-") else ""


def kill_line(mark: str, run_id: str, started: Started) -> str:
    """Return the line that ends all that the run started: TERM, then KILL.

    It takes at most some three seconds and prints the mark, then the ids still there.
    """
    body = _fill(_KILL, mark=mark, run_id=run_id)
    body = body.replace("@PID", str(started.pid)).replace("@LEADS", str(int(started.leads)))
    return f"exec sh -c '{body}'"


def parse_left(text: str, mark: str) -> list[int] | None:
    """Read the ids that are left from a kill's output; None if it did not get that far."""
    _, found, rest = text.rpartition(f"{mark}:")
    if not found or not rest.endswith("\n"):
        return None
    return sorted({int(word) for word in rest.split() if word.isdigit()})


def _fill(text: str, *, mark: str, run_id: str) -> str:
    if not _RUN_ID.fullmatch(run_id):
        raise ValueError(f"a run id must be plain: {run_id!r}")
    return text.replace("@MARK", mark).replace("@RUN", run_id)
