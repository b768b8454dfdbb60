"""What the shell's own commands do; some run code that hides in their arguments."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from walissh.react.turn import Risk
from walissh.safety import words
from walissh.safety.table import GLOB, UNKNOWN

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a builtin does; *code* as in ``reasons.yaml``; *word* is the part that decided."""

    risk: Risk = Risk.READ_ONLY
    code: str = "argument"
    word: str = ""
    interactive: bool = False


READS = Ruling()


def judge(form: Words, *, fed: bool) -> Ruling | None:
    """Return what the builtin *form* does, None if it is none or the list tells it."""
    rule = _RULES.get(form[0])
    return rule(form[1:], fed) if rule else None


def _opaque(word: str = "") -> Ruling:
    return Ruling(Risk.OPAQUE, word=word)


def _known(args: Words) -> bool:
    return not any(UNKNOWN in arg or GLOB in arg for arg in args)


_NAME = re.compile(r"[A-Za-z_]\w*")


# --- tests ----------------------------------------------------------------------------

_UNARY = frozenset(f"-{letter}" for letter in "abcdefghknoprstuwxzGLNOS")
_BINARY = frozenset({"=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge",
                     "-nt", "-ot", "-ef"})  # fmt: skip
_NAMES_A_VARIABLE = frozenset({"-v", "-R"})


def _test(args: Words, fed: bool) -> Ruling | None:
    """Refuse ``-v`` on an index, and unknown words in the place of an operator."""
    if any(arg == UNKNOWN * 2 or arg.startswith(GLOB) for arg in args):
        return _opaque(UNKNOWN)
    for at, word in enumerate(args[:-1]):
        if word in _NAMES_A_VARIABLE and not _NAME.fullmatch(args[at + 1]):
            return _opaque(args[at + 1])
    if _known(args) or _is_simple(args):
        return READS
    return _opaque(UNKNOWN)


def _is_simple(args: Words) -> bool:
    """Tell whether every operator is written out, joined at most by -a and -o of one kind."""
    while args[:1] == ("!",):
        args = args[1:]
    if len(args) <= 1:
        return True
    if len(args) == 2:
        return args[0] in _UNARY
    if len(args) == 3:
        return args[1] in _BINARY
    return _is_joined(args)


def _is_joined(args: Words) -> bool:
    """Allow ``-n "$x" -a "$y" = z``: each piece starts with what is written out."""
    at = next((at for at, word in enumerate(args) if word in {"-a", "-o"} and at in {2, 3}), None)
    if at is None:
        return False
    first = args[:at]
    sure = first[0] in _UNARY or (UNKNOWN not in first[0] and first[0] not in {"!", "("})
    return sure and _is_simple(first) and _is_simple(args[at + 1 :])


def _bracket(args: Words, fed: bool) -> Ruling | None:
    return _test(args[:-1], fed) if args[-1:] == ("]",) else _opaque(args[-1] if args else "[")


# --- what sets variables --------------------------------------------------------------


def _printf(args: Words, fed: bool) -> Ruling | None:
    if not args:
        return READS
    if args[0] in {"-v", "--"}:
        named = args[0] == "--" or (len(args) > 1 and _may_be_set(args[1]))
        return READS if named else _opaque(args[1] if len(args) > 1 else "-v")
    if args[0].startswith("-v"):
        return READS if _may_be_set(args[0][2:]) else _opaque(args[0])
    return _opaque(UNKNOWN) if _may_name_a_variable(args) else READS


def _may_name_a_variable(args: Words) -> bool:
    """Tell whether a format that is only known later may turn out as ``-v NAME``."""
    known = args[0].strip(UNKNOWN)
    if not args[0].startswith((UNKNOWN, GLOB)) or (known and re.search(r"[^\w\]]$", known)):
        return False
    return len(args) > 1 or args[0] in {UNKNOWN * 2, GLOB}


def _may_be_set(name: str) -> bool:
    return _NAME.fullmatch(name) is not None and is_own(name)


def _read(args: Words, fed: bool) -> Ruling | None:
    rest, limited = list(args), False
    while rest and rest[0].startswith("-") and len(rest[0]) > 1:
        flag = rest.pop(0)
        found = re.fullmatch(r"-([rse]*)([tpnNdau]?)(.*)", flag, re.S)
        if found is None or (not found[2] and found[3]) or UNKNOWN in flag:
            return _opaque(flag)
        value = found[3] or (rest.pop(0) if found[2] and rest else "")
        if found[2] == "a" and not _may_be_set(value):
            return _opaque(value)
        limited = limited or found[2] in {"t", "u"}
    for name in rest:
        if name != "_" and not (_NAME.fullmatch(name) and is_own(name)):
            return _opaque(name)
    return READS if fed or limited else Ruling(code="stdin", interactive=True)


def _mapfile(args: Words, fed: bool) -> Ruling | None:
    rest = list(args)
    while rest and rest[0].startswith("-"):
        flag = rest.pop(0)
        if not re.fullmatch(r"-t|-t?[nOsdu]", flag):
            return _opaque(flag)
        if flag[-1] != "t" and rest:
            rest.pop(0)
    if len(rest) > 1 or not all(_NAME.fullmatch(name) and is_own(name) for name in rest):
        return _opaque(rest[0])
    return READS if fed else Ruling(code="stdin", interactive=True)


def _unset(args: Words, fed: bool) -> Ruling | None:
    for name in args:
        if name != "-v" and not (_NAME.fullmatch(name) and is_own(name)):
            return _opaque(name)
    return READS


# what the shell or programs look at; setting one by hand may change what is run
_LOOKED_AT = re.compile(
    r"PATH|HOME|IFS|ENV|PS\d?|PWD|OLDPWD|USER|LOGNAME|UID|EUID|PPID|SHELL\w*|HOST\w*|CDPATH|TMOUT"
    r"|BASH\w*|PROMPT\w*|HIST\w*|COMP_?\w*|FIGNORE|FCEDIT|FUNCNEST|GLOBIGNORE|EXECIGNORE|INPUTRC"
    r"|OPT(IND|ERR|ARG)|POSIX\w*|REPLY|MAIL\w*|LINENO|DIRSTACK|PIPESTATUS|AUTO_RESUME|EMACS|READLINE\w*"
    r"|LD_\w*|DYLD_\w*|GCONV\w*|LOCPATH|NLSPATH|TMP\w*|TEMP\w*|XDG_\w*|TERMINFO\w*|TERMCAP|DISPLAY"
    r"|\w*(PAGER|EDITOR|VISUAL|BROWSER|OPTS|OPTIONS|FLAGS|CONFIG\w*|_RC|RC_FILE|PROXY|proxy|_HOME|_PATH|_COMMAND)"
    r"|(GIT|SSH|SSL|OPENSSL|CURL|WGET|AWS|AZURE|GOOGLE|CLOUDSDK|KUBE\w*|HELM|DOCKER|COMPOSE|PG|MYSQL|MARIADB|REDIS\w*"
    r"|MONGO|PYTHON|PERL\w*|RUBY|NODE|NPM|JAVA|JDK|GEM|BUNDLE|GO|CARGO|RUST|LESS|MORE|MAN|GREP|SYSTEMD|SUDO|DEB\w*"
    r"|APT|RPM|YUM|ANSIBLE|VAULT|CONSUL|NOMAD|ETCDCTL|TF|TERRAFORM|PSQL\w*|SQL\w*|ORACLE|LUA|PHP|TCL\w*|GNUPG|GPG)_?\w*"
    r"|AR|AS|CC|CPP|CXX|LD|FC|YACC|LEX|MAKE\w*|RSYNC\w*|TAR_\w*|GZIP|XZ_\w*|BZIP\w*|ZIP\w*|UNZIP\w*|_"
)
_PLAIN = re.compile(r"(?!\w*_proxy$)[a-z][a-z0-9_]*|[A-Z][A-Z0-9_]*|[A-Z][a-zA-Z0-9]*")
_LOCALE = re.compile(r"LC_\w+|LANG|TZ|COLUMNS|LINES|NO_COLOR|TERM")


def is_own(name: str) -> bool:
    """Tell whether a variable of this *name* means something to the line alone."""
    return _PLAIN.fullmatch(name) is not None and _LOOKED_AT.fullmatch(name) is None


def is_locale(name: str) -> bool:
    """Tell whether it only chooses a language, a time zone or a width."""
    return _LOCALE.fullmatch(name) is not None


# --- settings of the shell ------------------------------------------------------------

_LETTERS = re.compile(r"[-+][euxvfhnBCEHTbm]+")
_OPTIONS = frozenset({"pipefail", "errexit", "nounset", "xtrace", "noglob", "verbose", "noclobber",
                      "errtrace", "functrace", "noexec", "braceexpand", "monitor"})  # fmt: skip
_SHOPTS = frozenset({"nullglob", "failglob", "dotglob", "globstar", "nocaseglob", "nocasematch",
                     "inherit_errexit", "extglob", "checkwinsize", "lastpipe"})  # fmt: skip


def _set(args: Words, fed: bool) -> Ruling | None:
    if not args:
        return Ruling(Risk.SECRET_EXPOSURE, "secret_exposure", "set")
    rest = list(args)
    while rest and rest[0][:1] in {"-", "+"}:
        word = rest.pop(0)
        if word in {"--", "-"}:
            return READS
        if word[1:] and word[-1] == "o" and (word in {"-o", "+o"} or _LETTERS.fullmatch(word[:-1])):
            if rest and rest.pop(0) not in _OPTIONS:
                return _opaque(word)
        elif not _LETTERS.fullmatch(word):
            return _opaque(word)
    return READS


def _shopt(args: Words, fed: bool) -> Ruling | None:
    sets = any(re.fullmatch(r"-\w*[su]\w*", arg) for arg in args)
    names = [arg for arg in args if not arg.startswith("-")]
    if not _known(args) or (sets and not set(names) <= _SHOPTS):
        return _opaque(names[0] if names else "")
    return READS


def _shown(args: Words, fed: bool) -> Ruling | None:
    """Judge ``declare -p``, ``export``: they show variables; all at once is too many."""
    names = [arg for arg in args if not arg.startswith("-")]
    if any("f" in arg.lower() for arg in args if arg.startswith("-")):
        return READS
    if any("=" in name for name in names) or not _known(args):
        return _opaque(names[0] if names else "")
    if not names or any(map(words.looks_secret, names)):
        return Ruling(Risk.SECRET_EXPOSURE, "secret_exposure", "declare")
    return READS


def _alias(args: Words, fed: bool) -> Ruling | None:
    sets = any("=" in arg for arg in args) or not _known(args)
    return Ruling(Risk.OPAQUE, "argument", "alias") if sets else READS


def _hash(args: Words, fed: bool) -> Ruling | None:
    return READS if all(re.fullmatch(r"-[lrt]+|[\w-]+", arg) for arg in args) else _opaque(args[0])


def _history(args: Words, fed: bool) -> Ruling | None:
    if all(re.fullmatch(r"\d+", arg) for arg in args):
        return READS
    return Ruling(Risk.MUTATING, "mutating", "history")


def _fc(args: Words, fed: bool) -> Ruling | None:
    lists = bool(args) and re.fullmatch(r"-[lnr]*l[lnr]*", args[0]) and _known(args)
    return READS if lists else Ruling(Risk.OPAQUE, "argument", "fc", interactive=True)


def _numbers(args: Words, fed: bool) -> Ruling | None:
    return READS if all(re.fullmatch(r"-?\d*|-n|%\d*", arg) for arg in args) else _opaque(args[0])


def _folders(args: Words, fed: bool) -> Ruling | None:
    return READS


def _getopts(args: Words, fed: bool) -> Ruling | None:
    fits = len(args) > 1 and _NAME.fullmatch(args[1]) and is_own(args[1])
    return READS if fits else _opaque("getopts")


_RULES: dict[str, Callable[[Words, bool], Ruling | None]] = {
    "test": _test, "[": _bracket, "printf": _printf, "read": _read, "mapfile": _mapfile,
    "readarray": _mapfile, "unset": _unset, "set": _set, "shopt": _shopt, "alias": _alias,
    "hash": _hash, "history": _history, "fc": _fc, "getopts": _getopts,
    **dict.fromkeys(("declare", "export", "readonly", "local", "typeset"), _shown),
    **dict.fromkeys(("wait", "shift", "return", "jobs", "times", "caller"), _numbers),
    **dict.fromkeys(("pushd", "popd", "dirs"), _folders),
}  # fmt: skip
