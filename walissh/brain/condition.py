"""The small expression language of the playbooks, on top of ``simpleeval``.

What is not there is unknown, and unknown is never true: an expression that touches a probe
which did not run, a field a row lacks or a number that is None gives UNKNOWN instead of
an error. Mistakes of an author are found when playbooks are loaded, by ``names``.
"""

import ast
import re
import shlex
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Final

from simpleeval import EvalWithCompoundTypes, InvalidExpression

from walissh.brain import access, asked, nginx_conf, parse, signature, spelling
from walissh.react.turn import Language

Names = Mapping[str, object]

UNKNOWN: Final = object()
MAYBE: Final = "maybe"
"""``maybe.probe`` are the rows of a probe, none if it was not seen, where ``probe`` is unknown."""
_MANY: Final = 16_384
"""More expressions than all playbooks have: each is read once in a process."""

# CPython 3.11 fails with a SystemError where two threads parse at once
_PARSING: Final = threading.Lock()

_TEMPLATE = re.compile(  # not the shell's ${x}, { x; }, %{x}, nor the counts of a pattern: x{2,8}
    r"(?<![$%])\{(?!\s|\d+(?:,\d*)?\})([^{}]+)\}"
)
_BACKSLASH = re.compile(r"""\\([\\'"])|\\""")
_RAW = re.compile(r"""(?:(?<=^)|(?<=[(\[,{=:+] )|(?<=[(\[,{=:+]))r(?=['"])""")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]+")
_MARK_LIKE = re.compile(r"\[\[(?=[0-9a-fA-F])")
_MAX_VALUE_CHARS = 160
_ODD_FORM = re.compile(r"%(?![s%])")
_METHODS: Final = frozenset(
    {"endswith", "get", "join", "lower", "removeprefix", "removesuffix", "split", "startswith"}
    | {"strip", "upper"}
)
_KIB: Final = 1024
_THREE_DIGITS: Final = 100
_USUAL_IN_PATHS: Final = (  # of no help in telling whose a path is
    "var log logs opt srv usr bin sbin lib local home etc data app apps run tmp root share main "
    "python perl ruby node java bash sh dash php py pl rb js jar out err stdout stderr error "
    "access daemon server service worker process job jobs nice env exec current releases release "
    "shared start the conf config cfg yaml json ini old dev proc null www html pid lock"
)
_UNITS = ("KiB", "MiB", "GiB", "TiB", "PiB")


class Ready(str):
    """Text that is fit for the answer as it is; other strings are shown as code."""

    __slots__ = ()


class Fields(Mapping[str, object]):
    """A mapping whose fields an expression reads as ``name.field``.

    Not a dict: ``simpleeval`` walks through every dict and list that it meets, again and
    again, which takes seconds for a few hundred rows.
    """

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, object]) -> None:
        self._values = values

    def __getitem__(self, name: str) -> object:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class Maybe(Fields):
    """The rows of each probe by its name; no rows for one that was not seen."""

    __slots__ = ()

    def __getitem__(self, name: str) -> object:
        return self._values.get(name, [])


_UNKNOWABLE: Final = (
    InvalidExpression,
    re.error,  # of a pattern that was made of what a machine said
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
    ArithmeticError,
    RecursionError,
    MemoryError,
)


class _Evaluation(EvalWithCompoundTypes):  # type: ignore[misc]  # the package has no types
    """An evaluation in which ``a or b`` is b where a is unknown."""

    def _eval_boolop(self, node: ast.BoolOp) -> object:
        if isinstance(node.op, ast.And):
            return super()._eval_boolop(node)
        *first, last = node.values
        unknown: Exception | None = None
        for each in first:
            try:
                value: object = self._eval(each)
            except _UNKNOWABLE as error:
                unknown = error
                continue
            if value:
                return value
        value = self._eval(last)
        if unknown is not None and not value:
            raise unknown
        return value


def evaluate(expression: str, names: Names) -> object:
    """Return the value of *expression* over *names*, or UNKNOWN."""
    evaluation = _Evaluation(functions=dict(FUNCTIONS), names=_plain(names))
    try:
        value: object = evaluation.eval(expression, _parsed(expression))
    except _UNKNOWABLE:
        return UNKNOWN
    return value


def holds(expression: str, names: Names) -> bool:
    """Tell whether *expression* is known and true."""
    value = evaluate(expression, names)
    return value is not UNKNOWN and bool(value)


def fill(template: str, names: Names, quote: Callable[[object], str]) -> str | None:
    """Put the values of ``{expression}`` into *template*; None if one is unknown."""
    missing = False

    def value_of(match: re.Match[str]) -> str:
        nonlocal missing
        value = evaluate(match[1], names)
        missing = missing or value is UNKNOWN or value is None
        return quote(value)

    filled = _TEMPLATE.sub(value_of, template)
    return None if missing else filled


def expressions(template: str) -> list[str]:
    """Return the expressions inside *template*."""
    return _TEMPLATE.findall(template)


@lru_cache(maxsize=_MANY)
def names(expression: str) -> frozenset[str]:
    """Return the free names that *expression* reads.

    Raises SyntaxError if it is broken, ValueError if it has what could take all memory.
    """
    with _PARSING:
        tree = ast.parse(_source(expression), mode="eval")
    if greedy := next(filter(None, map(_greed, ast.walk(tree))), ""):
        raise ValueError(f"{greedy} is not for expressions: {expression!r}")
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    bound = {
        node.target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.comprehension) and isinstance(node.target, ast.Name)
    }
    free = (read | _maybe_read(tree)) - bound - set(FUNCTIONS) - {"True", "False", "None", MAYBE}
    return frozenset(free)


def _greed(node: ast.AST) -> str:
    """Return what *node* is that a width can make as large as it likes, "" for none."""
    match node:
        case ast.JoinedStr():
            return "an f-string"
        case ast.Call(func=ast.Attribute(attr=method)) if method not in _METHODS:
            return f"{method}()"
    return ""


def _maybe_read(tree: ast.AST) -> set[str]:
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == MAYBE
    }


@lru_cache(maxsize=_MANY)
def all_names(of: tuple[str, ...]) -> frozenset[str]:
    """Return the free names that any of the expressions *of* reads."""
    return frozenset(name for each in of for name in names(each))


def shown_in(language: Language) -> Callable[[object], str]:
    """Return what renders a value for an answer in *language*."""
    return partial(shown, comma="、" if language == "zh" else ", ")


def shown(value: object, *, comma: str = ", ") -> str:
    """Render *value* for Markdown: numbers plain, text from a host as inline code.

    The text comes from untrusted output: it can neither end the code span nor look like
    a citation. An empty list is a dash.
    """
    if isinstance(value, Ready):
        return str(value)
    if isinstance(value, float):
        return f"{value:.1f}".removesuffix(".0")
    if isinstance(value, list | tuple):
        return comma.join(shown(each) for each in value) or "—"
    return code(value) if isinstance(value, str) else str(value)


def code(text: str) -> str:
    """Return *text* as one line of inline code."""
    line = without_marks(_CONTROL.sub(" ", text).replace("`", "'")).strip()
    if len(line) > _MAX_VALUE_CHARS:
        line = line[: _MAX_VALUE_CHARS - 1] + "…"
    return f"`{line}`" if line else "—"


def without_marks(text: str) -> str:
    """Return *text* with nothing left in it that the agent could take for a citation."""
    return _MARK_LIKE.sub("[ [", text)


def size(kib: float) -> Ready:
    """Return a number of KiB as a person reads it: ``1.5 GiB``."""
    amount = float(kib)
    for unit in _UNITS:
        if abs(amount) < _KIB or unit == _UNITS[-1]:
            break
        amount /= _KIB
    digits = 0 if unit == "KiB" or amount >= _THREE_DIGITS else 1
    return Ready(f"{amount:.{digits}f} {unit}")


def listing(
    rows: Sequence[Mapping[str, object]], label: str, value: str, unit: str = ""
) -> list[Ready]:
    """Return ``label value`` of each of *rows*; *unit* ``KiB`` is made readable."""
    return [
        Ready(f"{shown(row[label])} {_measure(row[value], unit)}") for row in rows if row.get(label)
    ]


def _measure(value: object, unit: str) -> str:
    if unit == "KiB" and isinstance(value, int | float):
        return size(value)
    return f"{shown(value)}{unit}"


def _distinct(values: Iterable[object]) -> list[object]:
    return list(dict.fromkeys(values))


def _by(rows: Sequence[Mapping[str, object]], key: str) -> list[Mapping[str, object]]:
    """Return the rows in the order of the numbers in *key*."""
    return sorted(rows, key=lambda row: _number(row[key]))


def _number(text: object) -> float:
    digits = re.sub(r"[^\d.+-]", "", str(text))
    return float(digits)


def _group(pattern: str, text: object) -> str | None:
    found = parse.pattern(pattern).search(str(text))
    return found[1] if found else None


def _latest(rows: Sequence[Mapping[str, object]], key: str) -> list[Mapping[str, object]]:
    """Return the last of the rows for each value of *key*, rows without one left out."""
    return list({row[key]: row for row in rows if row.get(key) is not None}.values())


def _program(command: object) -> str:
    """Return the name of the program in a command line, as ``ps`` shows it."""
    words = str(command).split()
    first = words[0] if words else ""
    return first if first.startswith("[") else first.rstrip(":").rpartition("/")[2]


def _matches(pattern: str, text: object) -> bool:
    return parse.pattern(pattern).search(str(text)) is not None


@lru_cache(maxsize=_MANY)
def _parsed(expression: str) -> ast.stmt:
    with _PARSING:
        return ast.parse(_source(expression)).body[0]


def _source(expression: str) -> str:
    """Return *expression* with its backslashes as patterns mean them: none is Python's own.

    So a string is the same with and without an ``r`` in front.
    """
    plain = _RAW.sub("", expression.strip())
    return _BACKSLASH.sub(lambda found: found[0] if found[1] else r"\\", plain)


def _plain(names: Names) -> dict[str, object]:
    return {"True": True, "False": False, "None": None, **names}


def _about(value: object, ask: Mapping[str, object]) -> int:
    """Return how many words of the question *value* (a text, or all texts of a row) is about."""
    words = ask["words"]
    texts = value.values() if isinstance(value, Mapping) else [value]
    told = " ".join(each for each in texts if isinstance(each, str))
    return asked.concern(told, words) if isinstance(words, Sequence) else 0


def _signature(line: object) -> Fields:
    return Fields(signature.read(str(line)))


def _parent(path: object) -> str:
    return str(path).rstrip("/").rpartition("/")[0] or "/"


def _say(form: str, *values: object) -> Ready:
    """Return *form* with each ``%s`` filled in as values are shown: for a part of a sentence.

    Raises ValueError for any other form: a width may ask for gigabytes.
    """
    if _ODD_FORM.search(form.replace("%%", "")):
        raise ValueError(f"not a form of %s: {form!r}")
    return Ready(form % tuple(shown(each) for each in values))


def _base(path: object) -> str:
    return str(path).rstrip("/").rpartition("/")[2]


def _within(path: object, folder: object) -> bool:
    """Tell whether *path* is *folder* or lies in it."""
    return f"{path}/".startswith(f"{str(folder).rstrip('/')}/")


def _down(rows: Sequence[Mapping[str, object]], key: str) -> list[Mapping[str, object]]:
    """Return the rows with the largest number in *key* first; rows without one last."""
    return sorted(rows, key=lambda row: -_number(row[key] if row[key] is not None else 0))


def _kin(one: object, other: object) -> int:
    """Return how many telling words two command lines or paths share: what belongs together.

    ``python3 /opt/rates/fetch.py`` and ``/var/log/rates/fetch.log`` share two.
    """
    return len(_telling(str(one)) & _telling(str(other)))


@lru_cache(maxsize=4096)
def _telling(text: str) -> frozenset[str]:
    words = re.findall(r"[a-z]{2,}|(?<=_)\d{2,}", text.casefold())
    return frozenset(words) - frozenset(_USUAL_IN_PATHS.split())


FUNCTIONS: Final[Mapping[str, Callable[..., object]]] = {
    "about": _about,
    "abs": abs,
    "all": all,
    "ancestors": access.ancestors,
    "any": any,
    "base": _base,
    "by": _by,
    "code": lambda value: Ready(code(str(value))),
    "distinct": _distinct,
    "down": _down,
    "group": _group,
    "guesses": lambda name: spelling.guesses(str(name)),
    "int": int,
    "kin": _kin,
    "latest": _latest,
    "len": len,
    "listing": listing,
    "lost": access.lost,
    "matches": _matches,
    "max": max,
    "meant": lambda name, listed: spelling.meant(str(name), str(listed)),
    "min": min,
    "moment": signature.moment,
    "number": _number,
    "parent": _parent,
    "program": _program,
    "quoted": lambda value: shlex.quote(str(value)),
    "round": round,
    "route": nginx_conf.route,
    "say": _say,
    "signature": _signature,
    "size": size,
    "sorted": sorted,
    "split": lambda text, mark: str(text).split(mark),
    "stopped": access.stopped,
    "str": str,
    "sum": sum,
    "way": access.walked,
    "within": _within,
}
