"""Arguments with which a program that only reads shows far more than its name tells.

Whole trees of configuration and homes, and the environment of other processes.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from walissh.safety import paths

_GREPS = ("grep", "egrep", "fgrep", "zgrep", "zegrep", "zfgrep", "xzgrep", "bzgrep")
_DEEP = {**dict.fromkeys(_GREPS, "rR"), "diff": "r"}
_NAMES_ONLY = {"diff": "q"}
_LONG_NAMES_ONLY = frozenset(
    {"--files-with-matches", "--files-without-match", "--count", "--quiet", "--silent", "--brief"}
)
_VALUED = {"diff": "UCWx", "": "ABCDdefm"}  # letters whose value may be attached
# trees in which credentials lie among other things
_BROAD = re.compile(
    r"/(\*)?|/(etc|root|home|proc|srv|opt|var|usr|run|boot|mnt|media)(/\*)?"
    r"|/home/[^/]+(/\*)?|/root/.*|/proc/.*|/var/(lib|backups|www|spool|run)(/\*)?|/run/.*|~.*"
)


def whole_tree(form: tuple[str, ...], shown: Iterable[str], starts: list[str]) -> str:
    """Return the tree whose files *form* would print, "" if none: ``grep -r x /etc``."""
    if form[0] not in _DEEP or not _descends(form) or _only_names(form):
        return ""
    named = [path for path in shown if not path.startswith("-")]
    for path in named or ["."]:
        for each in paths.from_bases(path, starts):
            if "\0" in each or _BROAD.fullmatch(paths.straight(each)):
                return path
    return ""


def _letters(form: tuple[str, ...]) -> Iterator[str]:
    """Give the short flags, without what may be a value attached to one."""
    valued = _VALUED.get(form[0], _VALUED[""])
    for word in form[1:]:
        if word == "--":
            return
        if word.startswith("-") and not word.startswith("--"):
            yield from re.split(f"(?<=[{valued}])", word[1:], maxsplit=1)[0]


def _descends(form: tuple[str, ...]) -> bool:
    if any(word.startswith(("--recursive", "--dereference-recursive")) for word in form):
        return True
    # -d recurse: the value is not looked at, for it may be attached or the next word
    return not set(_letters(form)).isdisjoint(_DEEP[form[0]] + ("d" if "grep" in form[0] else ""))


def names_only(form: tuple[str, ...]) -> bool:
    """Tell whether *form* is a search that prints the names of files alone."""
    return form[0] in _GREPS and not set(_letters(form)).isdisjoint("lL")


def _only_names(form: tuple[str, ...]) -> bool:
    quiet = _NAMES_ONLY.get(form[0], "lLcq")
    return not set(_letters(form)).isdisjoint(quiet) or bool(_LONG_NAMES_ONLY & set(form))


# --- searching for passwords and keys ---------------------------------------------------

_SEARCHES = frozenset((*_GREPS, "rg", "ag", "ack", "awk", "gawk", "mawk", "sed"))
_SOUGHT = re.compile(
    r"(?i)(?<!failed.)(?<!accepted.)(?<!invalid.)(?<!wrong.)(?<!bad.)"
    r"(passw(or)?d|passphrase|passwd|requirepass|masterauth|secrets?|api.{0,4}key|access.{0,3}key"
    r"|private.{0,3}key|(auth|access|bearer).{0,2}token|credentials?|client.secret|secret.{0,4}key)"
    r"(?!authentication|auth\b|_?(check|expired|changed|reset|policy|encryption|hash_|file|path|age|mismatch))"
)
_SETTINGS = re.compile(
    r"(?i)\.(conf|cnf|ini|cfg|config|ya?ml|json|properties|xml|toml|php|py|rb|js|ts|sh|env\S*"
    r"|service|tfvars|sql|gradle)$|/(etc|home|root|opt|srv|var/www)(/|$)|/\*|^~"
)
_VALUE_SOUGHT = re.compile(r"(?i)(passw(or)?d|passwd|pwd|secret|token|api.{0,2}key)[\\s*\"]*[=:]")


def seeks_secrets(form: tuple[str, ...], shown: Iterable[str]) -> bool:
    """Tell whether *form* searches settings, or whatever comes in, for passwords or keys.

    Logs tell of failed passwords day after day: there only what looks for a value counts.
    """
    if form[0] not in _SEARCHES or _only_names(form) or names_only(form):
        return False
    named = {path for path in shown if not path.startswith("-")}
    sought = [word for word in form[1:] if word not in named and _SOUGHT.search(word)]
    sought += [word for flag, word in pairwise(form) if flag in {"-e", "--regexp"}]
    if any(map(_VALUE_SOUGHT.search, sought)):
        return True
    settings = any(_SETTINGS.search(path) and "/log/" not in path for path in named)
    return settings and any(map(_SOUGHT.search, sought))


# --- ps -------------------------------------------------------------------------------

_PS_LONG_VALUED = re.compile(r"--(format|sort|pid|ppid|user|User|group|Group|tty|cols|rows|\w+s)")
_PS_DASH_VALUED, _PS_VALUED = "CGgOopqstUuk", "oOpqUkt"


def other_environments(args: tuple[str, ...]) -> bool:
    """Tell whether ``ps`` with *args* may show the environment of processes.

    A bare ``e`` among BSD letters does; so does ``-auxe``, which ps reads as BSD letters
    when there is no user "xe".
    """
    words = iter(args)
    for word in words:
        if word.startswith("--"):
            if "=" not in word and _PS_LONG_VALUED.fullmatch(word) and _is_env(next(words, "")):
                return True
        elif word.startswith("-"):
            letters, valued, rest = _cut(word[1:], _PS_DASH_VALUED)
            if _is_env(rest) or (valued in {*"uUgGts"} and re.fullmatch(r"[a-zA-Z]*e\w*", rest)):
                return True
            if valued and not rest and _is_env(next(words, "")):
                return True
        elif re.match(r"[\d,]+$", word) is None:
            letters, valued, rest = _cut(word, _PS_VALUED)
            if "e" in letters or "\0" in letters or _is_env(rest):
                return True
            if valued and not rest and _is_env(next(words, "")):
                return True
    return False


def _cut(text: str, valued: str) -> tuple[str, str, str]:
    """Return the letters before the first one that takes a value, that one, and the rest."""
    found = re.search(f"[{valued}]", text)
    if found is None:
        return text, "", ""
    return text[: found.start()], found[0], text[found.end() :]


def _is_env(value: str) -> bool:
    return "env" in value.lower()
