"""What is said to a server by hand: ``echo ruok | nc h 2181``, ``echo 'show stat' | socat``.

Which server answers at a port is not known, so a line counts as reading only when it reads
with every server that understands it.
"""

import re

from walissh.safety.clients import curl, told
from walissh.safety.clients.told import Told

PROGRAMS = frozenset({"nc", "ncat", "netcat", "nc.openbsd", "nc.traditional", "socat"})

# the four letters of ZooKeeper; memcached; Redis; HAProxy; and the words of parting
_LETTERS = re.compile(r"ruok|stat|srvr|mntr|conf|cons|wchs|wchc|wchp|dirs|isro|dump")
_READS = re.compile(
    _LETTERS.pattern
    + r"|stats( (items|slabs|settings|conns|sizes))?|version|verbosity|quit|QUIT|EXIT|exit|Q"
    r"|NOOP|noop"
    r"|(?i:ping|info( \w+)?|role|dbsize|lastsave|time)"
    r"|show (info|stat|servers (state|conn)|backend|errors|pools|sess|activity|threads|version"
    r"|table|cli sockets|resolvers|peers|schema json|cache|profiling)( [\w./#-]+)*|help"
    r"|(?i:ehlo|helo) [\w.-]+|CAPABILITIES?|[aA]\d* CAPABILITY"
)
_REQUEST = re.compile(r"(GET|HEAD|OPTIONS) (/\S*) HTTP/\d\.\d")
_HEADER = re.compile(r"(Host|Connection|User-Agent|Accept): ?[\w.:/*, -]*", re.I)
_NC = re.compile(
    r"(?: (?:-[vnuzN46C]*(?:[wqi] ?\d+)?|-U|--?(?:wait|idle-timeout|send-only|no-shutdown)"
    r"(?:[= ]\d+s?)?))*"
    r"(?: (?!-)[\w./:@-]+){1,2}(?: -[wq] ?\d+| -N)*"
)
_SOCAT = re.compile(
    r"(?: -[tT] ?\d+)*(?: (?:-|stdio|STDIO)(?:,\w+)?"
    r"| (?:unix-connect:|UNIX-CONNECT:|UNIX:|unix:)?/[\w./-]+"
    r"| (?:tcp|TCP)4?(?:-connect|-CONNECT)?:[\w.-]+:\d+(?:,(?:connect-timeout=\d+|shut-none))?){2}"
)
_SOCKET = re.compile(
    r"(?:unix-connect:|unix:)?(?:/var)?/run/\S+|/\S+\.(?:sock|socket|stats)\b|tcp", re.I
)


def judge(program: str, args: tuple[str, ...], text: str) -> Told | None:
    """Tell what *text* asks of a server; None when the call or a word is not known."""
    told_by_call = "".join(f" {arg}" for arg in args)
    if program == "socat":
        names = [arg for arg in args if re.search(r"[:/]", arg)]
        fits = _SOCAT.fullmatch(told_by_call) and len(names) == 1 and _SOCKET.match(names[0])
    else:
        fits = _NC.fullmatch(told_by_call)
    if not fits or ".." in told_by_call or not reads(text):
        return None
    limited = program == "socat" or re.search(r" -\w*[wqN]|--(wait|idle)", told_by_call)
    if limited or _says_goodbye(text):
        return told.READS
    return told.waits(f"{program} -w 3 HOST PORT", code="endless")


def reads(text: str) -> bool:
    """Tell whether every line of *text* only asks."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    lines = [each.strip() for line in lines for each in _commands(line)]
    asks = [line for line in lines if not _HEADER.fullmatch(line)]
    if len(asks) < len(lines) and not any(map(_REQUEST.fullmatch, asks)):
        return False
    return all(_READS.fullmatch(line) or _request(line) for line in asks)


def _commands(line: str) -> list[str]:
    return line.split(";") if line.startswith("show ") else [line]


def _request(line: str) -> bool:
    found = _REQUEST.fullmatch(line)
    if found is None:
        return False
    call = curl.judge("curl", (f"http://localhost{found[2]}",), fed=False)
    return call.risk is told.READS.risk


def _says_goodbye(text: str) -> bool:
    last = text.strip().rpartition("\n")[2].strip()
    return _LETTERS.fullmatch(last) is not None or last.lower() in {"quit", "exit"}
