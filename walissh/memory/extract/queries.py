"""Which commands ask a program for its version, and for whose."""

import itertools
import re
from dataclasses import dataclass

from walissh.memory.extract import names
from walissh.memory.extract.commandline import Asked, is_here


@dataclass(frozen=True, slots=True)
class Question:
    """Whose version is asked: its *name*, and the *words* that mean it in the output.

    *served*: a client asks it of a server. *labelled*: more is shown than the version, so
    only a line that is labelled as such counts.
    """

    name: str
    words: frozenset[str]
    served: bool = False
    labelled: bool = False


_FLAGS = frozenset({"--version", "-version", "--Version", "--ver", "-VV", "-bV", "--full-version",
                    "-dumpversion", "-dumpfullversion", "--build-info"})  # fmt: skip
_LONE_FLAGS = frozenset({"-v", "-V", "-vv", "-qV"})
_SUBCOMMANDS = frozenset(
    {
        "version",
        "server_version",
        "info:version",
        "-Wversion",
        "gitlab:env:info",
        "about",
        "versions",
    }
)
_NOT_THEIRS = frozenset(
    # here -v or "version" means something else, or asks for what is not installed
    "uname ulimit grep cat ls date id npm npx curl wget apt-cache apk pip pip3 gem helm-search "  # noqa: SIM905
    "dnf yum rpm dpkg-query snapcraft nvm pyenv conda asdf test echo printf man lsb_release".split()
)
_REGISTRY_VERBS = frozenset(
    "view show info search index list ls-remote install add create get describe new policy "  # noqa: SIM905
    "madison update upgrade set push pull use".split()
)


def of(asked: Asked, host: str) -> Question | None:
    """Return whose version *asked* asks for, None if it asks for none of this host."""
    name = _by_flag(asked) or _by_code(asked) or _by_file(asked)
    if name:
        return Question(name, names.words(_known_as(asked, name)))
    server = _by_query(asked, host)
    if server:
        return Question(server, names.words(server), served=True)
    return _by_status(asked)


_NO_STATUS = frozenset({"systemctl", "service", "git", "ufw", "docker", "rabbitmqctl", "svn", "hg"})


def _by_status(asked: Asked) -> Question | None:
    """Return whose status is shown: some programs tell their version there too."""
    if (
        asked.words not in {("status",), ("info",), ("show", "status"), ("show", "version")}
        or asked.program in _NO_STATUS
    ):
        return None
    name = names.product(asked.program.removesuffix(".occ"))
    return Question(name, names.words(name), labelled=asked.words[0] != "show")


def _known_as(asked: Asked, name: str) -> str:
    return asked.program if names.product(asked.program) == name else name


def _by_flag(asked: Asked) -> str:
    args = asked.args
    if args and (asked.program, args[0]) in _CHOSEN:
        return _CHOSEN[asked.program, args[0]]
    templated = asked.words[:1] in {("info",), ("version",)} and _TEMPLATE.search(" ".join(args))
    if templated:
        return names.product(asked.program)
    if args == ("-c", "show version"):
        return names.product(asked.program)
    if args[:1] == ("-m",) and len(args) > 2 and _FLAGS & set(args[2:]):
        return names.product(args[1])
    if args[:1] == ("-jar",) and len(args) > 2 and _FLAGS & set(args[2:]):
        return names.product(args[1].rpartition("/")[2])
    lone = len(args) == 1 and (args[0] in _LONE_FLAGS or args[0] == "-Wversion")
    flagged = any(a in _FLAGS for a in args[:3]) or args == ("-W", "version")
    if asked.program in _NOT_THEIRS and not ((flagged and len(args) == 1) or _short(asked)):
        return ""
    if re.fullmatch(r"\w*version(?:\.sh)?", asked.program) and not args:
        return _product(asked)
    if asked.program == "modinfo" and asked.words:
        return asked.words[-1]
    if flagged or lone or _subcommand(asked) or args == ("mail_version",) or _postconf(asked):
        return _product(asked)
    return ""


def _short(asked: Asked) -> bool:
    """Tell ``npm -v`` and ``pip -V``: for these the lone flag means the version."""
    own = {"npm", "npx", "pip", "pip3", "gem", "nvm", "pyenv", "conda", "asdf", "wget", "curl"}
    return asked.program in own and asked.args in {("-v",), ("-V",), ("--version",), ("version",)}


def _postconf(asked: Asked) -> bool:
    return asked.program == "postconf" and "mail_version" in asked.args


def _subcommand(asked: Asked) -> bool:
    words = asked.words
    if "-o" in asked.args or "--output" in asked.args:  # its value is no word of the command
        words = tuple(w for w in words if w not in {"json", "yaml", "short"})
    if not words or len(words) > 2 or words[0] in _REGISTRY_VERBS:
        return False
    return words[0] in _SUBCOMMANDS or (len(words) == 2 and words[1] in {"version", "--version"})


def _product(asked: Asked) -> str:
    """Return the product; a plugin's version is its own (``docker compose version``)."""
    words = [w for w in asked.words if w not in _SUBCOMMANDS | {"json", "yaml", "short"}]
    plugged = asked.program in {
        "docker",
        "git",
        "kubectl",
        "gcloud",
        "podman",
        "nerdctl",
        "openstack",
    }
    if plugged and len(words) == 1 and words[0].isalnum():
        return f"{asked.program} {words[0]}"
    if asked.program in _INTERPRETERS and words:
        return names.product(words[0].rpartition("/")[2])
    if asked.program in {"version", "version.sh"}:
        folders = [f for f in asked.path.split("/")[:-1] if f not in {"", "bin", "current", "opt"}]
        return names.product(re.sub(r"[-_]?\d[\w.-]*$", "", folders[-1])) if folders else "tomcat"
    named = re.sub(r"[-_]?version$", "", asked.program)
    return names.product(named or asked.program)


# a template prints the version of what answers: docker info --format '{{.ServerVersion}}'
_TEMPLATE = re.compile(r"\{\{ ?(?:\.\w+)*\.(?:\w*Version)(?:\.Version)? ?\}\}")
_CHOSEN = {
    ("pyenv", "version"): "python", ("rbenv", "version"): "ruby", ("nvm", "current"): "node",
    ("nodenv", "version"): "node", ("goenv", "version"): "go", ("jenv", "version"): "java",
    ("getconf", "GNU_LIBC_VERSION"): "glibc",
    ("nvidia-smi", "--query-gpu=driver_version"): "nvidia driver",
}  # fmt: skip
_INTERPRETERS = frozenset({"php", "python", "python3", "node", "ruby", "perl", "bash", "sh"})
_CODE = (
    re.compile(r"(?P<n>\w+)(?:\.\w+)*\.__version__"),
    re.compile(r"(?:importlib\.metadata|metadata)?\bversion\(['\"](?P<n>[\w.-]+)['\"]\)"),
    re.compile(r"\$(?P<n>\w+)(?:::\w+)*::version\b", re.I),
    re.compile(r"phpversion\(['\"](?P<n>\w+)['\"]\)"),
)
_OWN_CODE = re.compile(
    r"sys\.version|python_version|php_version|phpversion\(\)|ruby_version|process\.version\b|\$\^v|"
    r"\$\]|r\.version|otp_release|lua_version|_version\b|java\.version|\bpsversion\b",
    re.I,
)
_CODE_FLAGS = frozenset({"-c", "-e", "-r", "-p", "-E", "-eval", "-pe"})


def _by_code(asked: Asked) -> str:
    """Return whose version a one-line program prints."""
    flags = [f for f in asked.args if f in _CODE_FLAGS or re.fullmatch(r"-M\w+|-l?n?e", f)]
    if not flags or names.server(asked.program):
        return ""
    code = " ".join(asked.args)
    for pattern in _CODE:
        found = pattern.search(code)
        if found:
            return names.product(found["n"].lower())
    return names.product(asked.program) if _OWN_CODE.search(code) else ""


_VERSION_FILE = re.compile(
    r"(?:/[\w.+-]+)+/(?:VERSION|RELEASE|\.?version(?:-manifest)?(?:\.txt)?)", re.I
)


_INSTALLED = ("/opt/", "/usr/", "/srv/", "/sys/module/", "/var/lib/", "/var/www/", "/home/")


def _by_file(asked: Asked) -> str:
    """Return the product whose installed folder has the version file that is shown."""
    if asked.program not in {"cat", "head", "tail"} or len(asked.words) != 1:
        return ""
    path = asked.words[0]
    if not _VERSION_FILE.fullmatch(path) or not path.startswith(_INSTALLED):
        return ""
    folders = path.split("/")[2:-1]
    named = [
        f for f in folders if f not in {"local", "share", "lib", "current", "embedded", "module"}
    ]
    return names.product(re.sub(r"[-_]?\d[\w.-]*$", "", named[-1])) if named else ""


_ASKS_SERVER = re.compile(
    r"version\(|@@\w*\.?version|server_version|release_version|show version|v\$version|"
    r"variables like '?\W*version|buildinfo|^\s*version\s*$|\\s\b|^status$",
    re.I,
)
_HOST_FLAGS = frozenset({"-h", "-H", "--host", "-S", "--server"})


def _by_query(asked: Asked, host: str) -> str:
    server = names.server(asked.program)
    if not server or not (set(asked.args) or asked.fed) or not asks_here(asked, host):
        return ""
    texts = (*asked.args, asked.fed)
    return server if any(_ASKS_SERVER.search(text) for text in texts) else ""


def asks_here(asked: Asked, host: str) -> bool:
    """Tell whether a client asks this host, by what follows its host flag."""
    args = asked.args
    for flag, value in itertools.pairwise(args):
        if flag in _HOST_FLAGS and not is_here(value, host):
            return False
    for arg in args:
        joined = re.match(r"(?:--host=|--server=|-h(?=\w))(.+)", arg)
        if joined and not is_here(joined[1], host):
            return False
        url = re.match(r"\w+://(?:[^/@]*@)?([^/:?,]*)", arg)
        if url and not is_here(url[1], host):
            return False
    return True
