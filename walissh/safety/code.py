"""Code that stands in an argument: what it destroys is named, though nothing else is sure.

``python3 -c``, ``awk``'s ``system``, ``tar --to-command``, a program that is put together
from pieces. All of them ask; this only tells which of them must be called destructive.
"""

import base64
import binascii
import codecs
import re
from collections.abc import Iterator

from walissh.react.turn import Risk

MAX_TEXT = 3000
"""More of a line than this is not looked at: it asks anyway."""

_DESTROYS = re.compile(
    r"""(?x)
      (?<![\w.-])rm(?:[\s,"']|\$\{?IFS\}?)+-[-\w]*[rRf]
    | (?<![\w.-])rm\s+\S{0,80}/(?:srv|var|etc|home|boot|usr|data|opt)/
    | (?<!last\s)(?<![\w./=-])(?:/s?bin/|/usr/s?bin/)?(?:reboot|poweroff|shutdown|halt)(?![\w./=-])
    | (?i:command|exec|prog(?:ram)?|cmd|pager|editor|pack|agent)=
      (?:\S{0,40}/)?(?:reboot|poweroff|shutdown|halt|rm)\b
    | (?<![\w.-])(?:mkfs(?:\.\w+)?|wipefs|blkdiscard|shred|userdel|killall|pkill)(?![\w.=-])
    | \bunlink(?:Sync)?\b | \brmtree\b | \brimraf\b | \bremove_tree\b | \brm(?:dir)?Sync\b
    | \bos\.(?:remove|unlink|removedirs|rmdir|truncate|kill|killpg)\b | \bshutil\.(?:rmtree|move)\b
    | \bFile(?:Utils)?\.(?:delete|unlink|rm\w*)\b | \bfs\.(?:rm|unlink|rmdir|truncate)\w*\b
    | \bf?truncate(?:Sync)?\( | \bDeno\.remove\b | \bfile\s+delete\b | \.(?:unlink|rmdir)\(
    | \bdd\b[^|;&]{0,300}\bof=/ | >\s*/dev/(?:sd|nvme|vd|xvd|mapper/)
    | \b(?i:drop|truncate)\s+(?i:table|database|schema)\b | \b(?i:delete\s+from)\b
    | \btruncate\s+-s | \bkill\s+-(?:9|KILL|SIGKILL|s\s*(?:9|KILL))\b
    | \bsystemctl\s+(?:-\S{1,40}\s+){0,4}(?:stop|kill|mask|disable|isolate|rescue|emergency)\b
    | \bfind\b[^;|&]{0,300}\s-(?:delete|\$\([^)]{0,80}delete) | (?:\b|\\n)flush_?(?:all|db)\b
    | \b(?:ip6?tables|nft)\s+(?:-\S{1,40}\s+){0,4}(?:-F|--flush|flush)
    | \blink\s+set\s+\S{1,40}\s+down\b
    | /(?:reboot|poweroff)/\w*e\b
    | (?P<bomb>[\w:]{1,9})\s*\(\)\s*\{\s*(?P=bomb)\s*\|\s*(?P=bomb)\s*&
    | \b(?:docker|podman)\s+(?:system\s+prune|volume\s+rm|rm\s+-\w*f) | \bkubectl\s+delete\b
    | \b(?:telinit|init)\s+[06]\b | \bhash\s+-p\s+\S{0,80}/rm\b | \bzpool\s+destroy\b | \blvremove\b
    """
)
# programs, and forms of the shell, that run what stands in their arguments or input
_RUNS = re.compile(
    r"""(?x)
      (?<![\w.-])(?:
        python[\d.]* | pypy3? | perl[\d.]* | ruby | node(?:js)? | deno | bun | php[\d.]*
        | lua[\d.]* | luajit | tclsh | expect | Rscript | julia | osascript | groovy | scala
        | jshell | elixir | [gmn]?awk | make | gmake | gdb | lldb | tar | bsdtar | zip | rpm
        | rsync | ssh | scp | sftp | sort | man | ip | tc | nft | parallel | xargs | find | git
        | eval | source | bash | z?sh | dash | ksh | ash | busybox | toybox | alias | hash
        | time | ld-linux\S* | split | crontab | at | batch | read | printf | test | declare
        | pdsh | clush | dsh | pssh | parallel-ssh | ansible | salt | mco | machinectl | proot
        | unset | wait | nmap | fakeroot | firejail | bwrap | faketime | valgrind | numactl
        | cgexec | start-stop-daemon
      | let | trap | watch | script | screen | tmux | mapfile | socat | nc | ncat | env
        | nsenter | chroot | unshare | setsid | systemd-run | docker | podman | kubectl
      )(?![\w=-])
      | (?:^|[;&|(\n]\s*)(?:\.\s|\$|`|\S{0,60}[\[{$]) | \[\[ | \$\(\( | @P
    """
)
# what changes something by its nature, when it is given a command of its own
_HANDED = re.compile(
    r"""(?x)
      (?<![\w./-])(?:
        (?:n?vim?|vimdiff|view|ex|ed|emacs)\b[^|;&]{0,300}!
        | sed\b[^|;&]{0,300}['"\s;{\d$/]e(?:\s|['"]) | sed\b.{0,300}/\w*e\b
        | tar\b.{0,300}(?:-\w*[FI]|--[\w-]+[= ])
        | rpm\b.{0,300}(?:%\(|--pipe|%\{lua) | man\b.{0,300}-(?:P|H|-pager|-html)
        | (?:less|more)\b.{0,300}\+!
      )
    """
)
_NAMELESS = re.compile(
    r"(?:^|[;&|(\n]\s*)"
    r"(?:\$\([^)]{0,200}\)\w{0,20}|`[^`]{0,200}`\w{0,20}|\$\{?\w{1,60}\}?|\S{0,60}\$\{\S{0,60}|/\S{0,40}[?*\[]\S{0,40})"
    r"\s+-(?=\w*[rR])(?=\w*f)\w+\s+\S"
)


def weigh(command: str, risk: Risk, *, interactive: bool = False) -> str:
    """Return what *command*, so far of this *risk*, would destroy; "" if nothing tells so.

    Only lines that ask already are looked at, so that it can only raise.
    """
    if risk is Risk.DESTRUCTIVE:
        return ""
    if risk is Risk.READ_ONLY and not interactive:
        return ""
    command = command[:MAX_TEXT]
    opaque = risk is Risk.OPAQUE
    if not (_HANDED.search(command) or (opaque and _RUNS.search(command))):
        return ""
    nameless = _NAMELESS.search(command) if opaque else None
    found = nameless or next(filter(None, map(_DESTROYS.search, _spellings(command))), None)
    return found[0].strip() if found else ""


# --- what a line may be in plainer writing ------------------------------------------------

_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|0?([0-7]{3}))")
_QUOTED = re.compile(r"'([^']{4,})'|\"([^\"]{4,})\"|(?<=\s)(\S{4,})")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{7,}={0,2}")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}){5,}")


def _spellings(command: str) -> Iterator[str]:
    yield command
    plain = _ESCAPE.sub(lambda m: chr(int(m[1], 16) if m[1] else int(m[2], 8) % 256), command)
    plain = re.sub(r"\[(\w)\]", r"\1", plain)
    # empty expansions, and pieces that are put together again
    plain = re.sub(
        r"(?<=\w)\$[@*](?=\w)|(?<=\w)['\"]\s{0,9}(?:\|\||\+|\.)\s{0,9}['\"](?=\w)", "", plain
    )
    if plain != command:
        yield plain
    if re.search(r"base64|b64|atob", command):
        yield from filter(None, map(_from_base64, _BASE64.findall(command)))
    if re.search(r"xxd|hex|pack", command):
        yield from (
            bytes.fromhex(digits).decode("ascii", "replace") for digits in _HEX.findall(command)
        )
    if re.search(r"\brev\b|\[::-1\]|reverse|strrev", command):
        yield from ("".join(found)[::-1] for found in _QUOTED.findall(command))
    if re.search(r"rot13|N-ZA-M|n-za-m", command):
        yield codecs.decode(command, "rot13")


def _from_base64(text: str) -> str:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4)).decode("ascii", "replace")
    except (binascii.Error, ValueError):
        return ""
