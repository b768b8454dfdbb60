"""Find patterns in the list of programs that take long over a long line.

    .venv/bin/python bench/patterns.py

Each pattern is tried on its own words, repeated up to the length that is judged. Prints the
slow ones, and fails if there are any.
"""

# ruff: noqa: T201  it prints figures
import re
import signal
import sys
from collections.abc import Iterator
from types import FrameType

from walissh.react.turn import Risk
from walissh.safety import table
from walissh.safety.table import MAX_TEXT

LIMIT_S = 0.25
MAX_WORDS = 40


class LateError(Exception):
    """Raised when a pattern has taken too long."""


def main() -> int:
    """Print every slow pattern with its program and the word that slows it."""
    signal.signal(signal.SIGALRM, _late)
    slow = [
        f"{name}: {word!r} {pattern[:100]}"
        for pattern, (name, whole) in _patterns().items()
        for word in _slow_words(pattern, whole=whole)
    ]
    print("\n".join(slow) or f"{len(_patterns())} patterns, none slow")
    return 1 if slow else 0


def _late(_signal: int, _frame: FrameType | None) -> None:
    raise LateError


def _patterns() -> dict[str, tuple[str, bool]]:
    """Return each pattern with a program that has it and whether it is matched as a whole."""
    found: dict[str, tuple[str, bool]] = {}
    for name, rule in table.rules().items():
        for pattern, whole in _of(rule):
            found.setdefault(pattern, (name, whole))
    return found


def _of(rule: table.Rule) -> Iterator[tuple[str, bool]]:
    yield from ((pattern.pattern, risk is Risk.READ_ONLY) for risk, pattern in rule.when)
    yield from ((each, True) for each in (rule.match, rule.whole, *rule.values.values()) if each)
    for sub in rule.subs.values():
        yield from _of(sub)


def _slow_words(pattern: str, *, whole: bool) -> Iterator[str]:
    compiled = re.compile(pattern, re.DOTALL)
    words = sorted(set(re.findall(r"--?[\w-]{1,14}|\w{1,12}=?|[/.%]", pattern)))[:MAX_WORDS]
    for word in [*words, "a", "-a", "/a", "a=", "1", "aa bb"]:
        for text in ((word + " ") * MAX_TEXT, word * MAX_TEXT):
            if _is_slow(compiled, text[: MAX_TEXT - 100] + "\x02\n!", whole=whole):
                yield word
                return


def _is_slow(pattern: re.Pattern[str], text: str, *, whole: bool) -> bool:
    signal.setitimer(signal.ITIMER_REAL, LIMIT_S)
    try:
        _ = pattern.fullmatch(text) if whole else pattern.search(text)
    except LateError:
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return False


if __name__ == "__main__":
    sys.exit(main())
