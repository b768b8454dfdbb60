"""What the words of a simple command may become when the line runs."""

import re
from collections.abc import Mapping
from itertools import product

from walissh.safety.shell import Part, Simple, Word
from walissh.safety.table import GLOB, UNKNOWN

MAX_FORMS = 24

_KNOWN = {
    "HOME": "/root", "USER": "root", "LOGNAME": "root", "HOSTNAME": "host", "PWD": "/root",
    "OLDPWD": "/root", "SHELL": "/bin/bash", "LANG": "C", "UID": "0", "EUID": "0", "?": "0",
    "$": "1", "#": "0", "PPID": "1", "RANDOM": "1", "SECONDS": "1", "PATH": "/usr/bin",
}  # fmt: skip
_SECRET_NAME = re.compile(
    r"(?i)pass|(?<!^old)(?<!^)pwd|secret|token|key|cred|auth|_pat$|_pw$|jwt|cookie"
)
_HARMLESS = re.compile(
    r"\d+|[@*#?!$_-]|LC_\w+|XDG_(?:RUNTIME_DIR|SESSION_\w+|DATA_DIRS|CONFIG_HOME)|TZ"
    r"|TERM|COLUMNS|LINES"
    r"|SSH_AUTH_SOCK|EDITOR|PAGER|VISUAL|SHLVL|MAIL|DISPLAY|SSH_(?:CONNECTION|CLIENT|TTY)|SUDO_(?:USER|UID|GID)"
    r"|(?:JAVA|MAVEN|GRADLE|HADOOP|SPARK|KAFKA|CATALINA|ORACLE|CONDA)_HOME|GOPATH|GOROOT|VIRTUAL_ENV"
    r"|BASH_VERSION|BASHPID|BASH|(?:HOST|OS|MACH)TYPE|PIPESTATUS|LINENO|REPLY|TMPDIR|GROUPS"
    r"|EPOCHSECONDS|EPOCHREALTIME|SRANDOM|LD_LIBRARY_PATH|MANPATH|LANGUAGE|INVOCATION_ID"
)
_SPLITS = re.compile(r"[\s*?\[\]\\]|^$")

Values = Mapping[str, tuple[str, ...]]


def forms(simple: Simple, values: Values) -> list[tuple[str, ...]]:
    """Return every argument list that *simple* may have, program first.

    UNKNOWN stands where the text is only known later; a word that begins with a file
    pattern begins with GLOB. Too many forms give one with unknown words.
    """
    choices = [texts(word, values) for word in simple.words]
    total = 1
    for choice in choices:
        total *= len(choice)
    if total > MAX_FORMS:
        choices = [choice if len(choice) == 1 else [UNKNOWN] for choice in choices]
    return [tuple(form) for form in product(*choices)]


def texts(word: Word, values: Values) -> list[str]:
    """Return all texts that *word* may have, with the marks of ``forms``."""
    found = [""]
    for part in word.parts:
        options = _options(part, values)
        found = [left + right for left in found for right in options][: MAX_FORMS + 1]
    mark = GLOB if word.glob and word.parts and _leads_with_glob(word) else ""
    return [mark + text for text in dict.fromkeys(found)]


def _leads_with_glob(word: Word) -> bool:
    return word.parts[0].text[:1] in {"*", "?", "["} and not word.parts[0].quoted


def _options(part: Part, values: Values) -> tuple[str, ...]:
    if part.kind == "text":
        return (part.text,)
    if part.kind == "unknown":
        return (UNKNOWN,)
    known = (_KNOWN[part.text],) if part.text in _KNOWN else ()
    held = values.get(part.text, known)  # () once the line itself sets it to something unknown
    if not held or (not part.quoted and any(_SPLITS.search(text) for text in held)):
        return (UNKNOWN,)
    return held


def looks_secret(name: str) -> bool:
    """Tell whether a variable of this *name* most likely holds a password or key."""
    return _SECRET_NAME.search(name) is not None


def is_harmless(name: str) -> bool:
    """Tell whether a variable of the environment, by its *name*, surely holds no secret."""
    return name in _KNOWN or _HARMLESS.fullmatch(name) is not None
