"""The variables and functions of one line: what each name may hold, and where from."""

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from walissh.safety import programs, words
from walissh.safety.shell import SPLIT, Part, Word
from walissh.safety.syntax import shapes

Node = dict[str, Any]

# no name of a program that is not listed; those of builtins are never given to functions
_OWN_NAME = re.compile(
    r"(?!(alias|bg|bind|builtin|caller|command|compgen|complete|dirs|disown|enable|eval|exec|exit"
    r"|fc|fg|getopts|hash|help|history|jobs|kill|let|logout|mapfile|popd|pushd|read|readarray"
    r"|return|set|shift|shopt|source|suspend|times|trap|ulimit|umask|unalias|unset|wait)$)"
    r"[a-z_][a-z0-9_]*"
)
MAX_TEXTS = 12
MAX_ARGUMENTS = 9


class Names:
    """Gathers what a line sets, in whatever order: a value may come round in a loop."""

    def __init__(self) -> None:
        self.words: dict[str, list[Word]] = {}
        self.loops: dict[str, list[Word]] = {}
        self.unknown: set[str] = set()
        self.outside: set[str] = set()
        self.maps: set[str] = set()
        self.expected: list[Node] = []
        self.functions: set[str] = set()
        self.calls: list[tuple[Word, ...]] = []
        self.odd: set[str] = set()
        self.lists: set[str] = set()
        self.separated = False

    # --- functions ---

    def expect_functions(self, tree: Node) -> None:
        """Note which functions are surely there once the line has come past them."""
        for statement in tree.get("Stmts") or []:
            command = statement.get("Cmd") or {}
            plain = not any(statement.get(key) for key in ("Background", "Negated", "Redirs"))
            if command.get("Type") == "FuncDecl" and plain:
                self.expected.append(command)

    def declared(self, node: Node) -> None:
        """Take note of a function behind its body; a doubtful one makes the line odd."""
        name = _name(node)
        sure = any(node is each for each in self.expected)
        if (
            sure
            and _OWN_NAME.fullmatch(name)
            and name not in shapes.PROGRAMS | programs.entries().keys()
        ):
            self.functions.add(name)
        else:
            self.odd.add("FuncDecl")

    def called(self, call: tuple[Word, ...]) -> bool:
        """Tell whether *call* is of a function of the line; its arguments are kept."""
        if call[0].literal not in self.functions:
            return False
        self.calls.append(call[1:])
        return True

    # --- what is set ---

    def used(self, name: str) -> None:
        if not self._is_set(name):
            self.outside.add(name)

    def _is_set(self, name: str) -> bool:
        return name in self.unknown or name in self.words or name in self.loops

    def assigned(self, name: str, word: Word | None) -> None:
        if word is not None:
            self.words.setdefault(name, []).append(word)

    def listed(self, name: str, elements: Iterable[Word]) -> None:
        self.loops.setdefault(name, []).extend(elements)

    def several(self, name: str) -> None:
        """Note that an array may have more elements than it has different ones."""
        self.lists.add(name)

    def looped(self, name: str, found: list[Word]) -> None:
        self.loops.setdefault(name, []).extend(found)
        if not found:
            self.unsure(name)

    def counted(self, name: str) -> None:
        self.assigned(name, Word((Part("number", "-", quoted=True),)))

    def unsure(self, name: str) -> None:
        self.unknown.add(name)

    def keyed(self, name: str) -> None:
        self.maps.add(name)

    def is_keyed(self, name: str) -> bool:
        return name in self.maps

    def set_by(self, call: tuple[Word, ...]) -> None:
        """Note the names that a builtin sets: ``read``, ``mapfile``, ``set --``, ``shift``."""
        texts = [word.literal or "" for word in call]
        while texts and texts[0] in {"command", "builtin", "--", "-p"}:
            texts.pop(0)
        program = texts[0] if texts else ""
        if program in _SETTING or (program in {"printf", "wait"} and len(texts) > 2):
            for name in [*filter(_NAME.fullmatch, texts[1:]), *_DEFAULTS.get(program, ())]:
                self.unsure(name)
        elif program in {"set", "shift"}:
            for name in [*map(str, range(1, MAX_ARGUMENTS + 1)), "@"]:
                self.unsure(name)

    # --- what each may hold ---

    def values(self) -> Mapping[str, tuple[str, ...]]:
        """Return all texts of each name that the line sets; none where that is not known."""
        self._pass_arguments()
        found = _Values(self)
        for name in sorted(self.words.keys() | self.loops.keys() | self.unknown):
            found.settle(name)
        lists = {words.list_of(name): () for name in self.lists}
        return MappingProxyType(found.settled | lists)

    def _pass_arguments(self) -> None:
        if not self.functions:
            return
        most = max(map(len, self.calls), default=0)
        for at in range(min(most, MAX_ARGUMENTS)):
            given = [call[at] if at < len(call) else Word(()) for call in self.calls]
            # several words may stand in the place of one and shift all behind it
            if any(not _is_one(word) for call in self.calls for word in call[: at + 1]):
                self.unsure(str(at + 1))
            for word in given:
                self.assigned(str(at + 1), word)
        for call in self.calls:
            self.listed("@", call)
            if len(call) != 1:
                self.several("@")


_NAME = re.compile(r"[A-Za-z_]\w*")
_SETTING = frozenset({"read", "mapfile", "readarray", "getopts", "unset"})
_DEFAULTS = {"read": ("REPLY",), "mapfile": ("MAPFILE",), "readarray": ("MAPFILE",)}


def _is_one(word: Word) -> bool:
    return not word.glob and all(
        part.kind in {"text", "number"} or (part.quoted and part.kind != "many")
        for part in word.parts
    )


def _name(node: Node) -> str:
    return str((node.get("Name") or {}).get("Value", ""))


class _Values(Mapping[str, tuple[str, ...]]):
    """Looks names up while they are being settled; one that comes round is unknown."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.settled: dict[str, tuple[str, ...]] = {}
        self.open: set[str] = set()

    def __getitem__(self, name: str) -> tuple[str, ...]:
        if name not in self.settled and name not in self._all():
            raise KeyError(name)
        return (SPLIT,) if name in self.open else self.settle(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def _all(self) -> set[str]:
        return self.names.words.keys() | self.names.loops.keys() | self.names.unknown

    def settle(self, name: str) -> tuple[str, ...]:
        if name in self.settled:
            return self.settled[name]
        self.open.add(name)
        found = tuple(dict.fromkeys(self._texts(name)))
        self.open.remove(name)
        self.settled[name] = () if len(found) > MAX_TEXTS else found
        return self.settled[name]

    def _texts(self, name: str) -> list[str]:
        if name in self.names.unknown:
            return [SPLIT]
        found: list[str] = []
        for word in self.names.words.get(name, ()):
            found += words.whole(word, self)
        for word in self.names.loops.get(name, ()):
            found += words.items(word, self)
        return found
