"""Arguments with which a program that only reads shows far more than its name tells.

Whole trees of configuration and homes, and the environment of other processes.
"""

import re
from collections.abc import Iterable, Iterator

from walissh.safety import paths

GREPS = ("grep", "egrep", "fgrep", "zgrep", "zegrep", "zfgrep", "xzgrep", "bzgrep")
_DEEP = {**dict.fromkeys(GREPS, "rR"), "diff": "r"}
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
    if form[0] not in _DEEP or not _descends(form) or only_counts(form):
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
    return form[0] in GREPS and not set(_letters(form)).isdisjoint("lL")


def only_counts(form: tuple[str, ...]) -> bool:
    """Tell whether *form* is a search that prints names of files or a number, or nothing."""
    quiet = _NAMES_ONLY.get(form[0], "lLcq")
    return not set(_letters(form)).isdisjoint(quiet) or bool(_LONG_NAMES_ONLY & set(form))


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
