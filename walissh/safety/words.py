"""What the words of a simple command may become when the line runs.

A text may hold marks: UNKNOWN for what is only known later but stays one word, SPLIT for
what may become several when it is not quoted, GLOB before a leading file pattern.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import product

from walissh.safety.shell import SPLIT, Part, Simple, Word
from walissh.safety.table import GLOB, UNKNOWN

MAX_FORMS = 24
SEVERAL = UNKNOWN * 2
"""Stands as a whole argument for any number of unknown ones, none among them."""

NUMBER = "86400"
"""Stands for a number that is only known later: any may be as large as this."""

_KNOWN = {
    "HOME": "/root", "USER": "root", "LOGNAME": "root", "HOSTNAME": "host", "PWD": UNKNOWN,
    "OLDPWD": UNKNOWN, "SHELL": "/bin/bash", "LANG": "C", "UID": "0", "EUID": "0", "?": "0",
    "$": "1", "#": "0", "PPID": "1", "RANDOM": "1", "SECONDS": "1", "PATH": "/usr/bin",
    "!": "1", "EPOCHSECONDS": NUMBER, "LINENO": "1", "BASHPID": "1", "SRANDOM": "1",
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
_PATTERN = re.compile(r"[*?\[\]\\]")
# what lies here is named by the system, not by whoever may upload a file
_SYSTEM_DIR = re.compile(
    r"/(proc|sys|dev|run|etc|boot|usr|lib\w*|s?bin|var/(log|lib|run|spool|cache))/"
)
_DIGITS = re.compile(r"-?\d*")

Values = Mapping[str, tuple[str, ...]]
Argument = tuple[str, ...]
"""The arguments that one word becomes: mostly one, sometimes none or several."""


def forms(simple: Simple, values: Values) -> list[tuple[str, ...]]:
    """Return every argument list that *simple* may have, program first.

    UNKNOWN stands where the text is only known later, SEVERAL for any number of words; a
    word that begins with a file pattern begins with GLOB. Too many forms give one with
    unknown words.
    """
    choices = [arguments(word, values) for word in simple.words]
    total = 1
    for choice in choices:
        total *= len(choice)
    if total > MAX_FORMS:
        choices = [choice if len(choice) == 1 else [(SEVERAL,)] for choice in choices]
    found = (tuple(arg for words in form for arg in words) for form in product(*choices))
    return [form for form in found if form]


def arguments(word: Word, values: Values) -> list[Argument]:
    """Return all the ways in which *word* becomes arguments."""
    if len(word.parts) == 1 and word.parts[0].kind == "var" and not word.parts[0].quoted:
        split = _split(held(word.parts[0], values), values)
        if split is not None:
            return split
    return [(text,) for text in texts(word, values)]


def _split(options: tuple[str, ...], values: Values) -> list[Argument] | None:
    """Cut known texts at blanks, as the shell does with a bare ``$x``; None if unsure."""
    if "IFS" in values or any(SPLIT in o or UNKNOWN in o or _PATTERN.search(o) for o in options):
        return None
    return list(dict.fromkeys(tuple(option.split()) for option in options)) if options else None


def texts(word: Word, values: Values) -> list[str]:
    """Return all texts that *word* may have as an argument, with the marks of ``forms``."""
    found = [""]
    for part in word.parts:
        options = _options(part, values)
        found = [
            SEVERAL if SEVERAL in {left, right} else left + right
            for left in found
            for right in options
        ][: MAX_FORMS + 1]
    mark = GLOB if word.glob and word.parts and _leads_with_glob(word) else ""
    return [mark + text for text in dict.fromkeys(found)]


def _leads_with_glob(word: Word) -> bool:
    return word.parts[0].text[:1] in {"*", "?", "["} and not word.parts[0].quoted


def _options(part: Part, values: Values) -> tuple[str, ...]:
    if part.kind == "text":
        return (part.text,)
    options = held(part, values)
    if part.kind == "many":
        single = len(options) == 1 and options[0] != SPLIT and list_of(part.text) not in values
        return options if single else (SEVERAL,)
    if part.quoted:
        return tuple(option.replace(SPLIT, UNKNOWN) for option in options)
    return tuple(_unquoted(option, values) for option in options)


def list_of(name: str) -> str:
    """Return the key under which ``Values`` has *name* if it may be many elements."""
    return f"{name}[@]"


def _unquoted(text: str, values: Values) -> str:
    if SPLIT in text or not text or ("IFS" in values and not _DIGITS.fullmatch(text)):
        return SEVERAL
    if re.search(r"\s", text) or (_PATTERN.search(text) and not _SYSTEM_DIR.match(text)):
        return SEVERAL
    return text


def held(part: Part, values: Values) -> tuple[str, ...]:
    """Return all texts of *part* before the shell cuts it into words."""
    if part.kind == "text":
        return (part.text,)
    if part.kind == "number":
        return (NUMBER, "-" + NUMBER) if part.text else (NUMBER,)
    if part.kind in {"var", "many"}:
        return _value(part.text, values)
    if part.kind == "cut":
        return tuple(dict.fromkeys(map(_piece, _value(part.text, values))))
    if part.kind == "either":
        found = dict.fromkeys(text for word in part.words for text in whole(word, values))
        return tuple(found)[: MAX_FORMS + 1]
    return (SPLIT,)


def _value(name: str, values: Values) -> tuple[str, ...]:
    known = (_KNOWN[name],) if name in _KNOWN else ()
    # () once the line itself sets it to something unknown
    return values.get(name, known) or (SPLIT,)


def _piece(text: str) -> str:
    """Return what any piece of *text* may be."""
    if _DIGITS.fullmatch(text):
        return text
    return SPLIT if SPLIT in text or re.search(r"[\s*?\[]", text) else UNKNOWN


def whole(word: Word, values: Values) -> list[str]:
    """Return all texts of *word* where nothing is cut into words: an assigned value."""
    found = [""]
    for part in word.parts:
        options = held(part, values)
        found = [left + right for left in found for right in options][: MAX_FORMS + 1]
    return list(dict.fromkeys(found))


def items(word: Word, values: Values) -> Iterator[str]:
    """Give the texts that a loop over *word* puts into its variable."""
    if len(word.parts) == 1 and word.parts[0].kind == "many":
        yield from held(word.parts[0], values)
        return
    for argument in arguments(word, values):
        for text in argument:
            # an unquoted one was cut at blanks; a quoted one may still hold some
            one_word = text == SEVERAL and "IFS" not in values
            yield UNKNOWN if one_word else text.replace(UNKNOWN, SPLIT)


def looks_secret(name: str) -> bool:
    """Tell whether a variable of this *name* most likely holds a password or key."""
    return _SECRET_NAME.search(name) is not None


def is_harmless(name: str) -> bool:
    """Tell whether a variable of the environment, by its *name*, surely holds no secret."""
    return name in _KNOWN or _HARMLESS.fullmatch(name) is not None
