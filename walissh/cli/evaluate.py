"""``walissh eval TASK``: run one ability of the product over labelled lines.

Lines of JSON come in on standard input, one line goes out for each, in order. Nothing is
asked of the network, of a running server or of the home folder.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module

import click

from walissh.cli.evaluations.fields import FieldError

Answer = dict[str, object] | None
Task = Callable[[Iterable[Mapping[str, object]]], Iterator[Answer]]

TASKS = {
    "classify": "walissh.cli.evaluations.classify",
    "conflict": "walissh.cli.evaluations.conflict",
    "extract": "walissh.cli.evaluations.extract",
    "inject": "walissh.cli.evaluations.inject",
    "intent": "walissh.cli.evaluations.intent",
    "fit": "walissh.cli.evaluations.fit",
    "recall": "walissh.cli.evaluations.recall",
    "redact": "walissh.cli.evaluations.redact",
}
"""Name of each task and the module whose ``answer`` does it."""

REFUSED = 2


@click.command("eval", epilog=f"Tasks: {', '.join(TASKS)}.")
@click.argument("task", metavar="TASK", type=click.Choice([*TASKS]))
def evaluate(task: str) -> None:
    """Answer JSON lines from standard input, one line each, to measure how good TASK is."""
    answer: Task = import_module(TASKS[task]).answer
    reader = _Reader()
    try:
        for each in answer(reader.lines(sys.stdin.buffer)):
            if each is not None:
                click.echo(_line(each))
    except FieldError as error:
        click.echo(f"walissh eval {task}: line {reader.number}: {error}", err=True)
        sys.exit(REFUSED)


class _Reader:
    """Reads lines of JSON objects; *number* is the line at hand, from 1."""

    def __init__(self) -> None:
        self.number = 0

    def lines(self, source: Iterable[bytes]) -> Iterator[Mapping[str, object]]:
        """Give each object; raises FieldError at the first line that is none."""
        for self.number, line in enumerate(source, start=1):
            if line.strip():
                yield _object(line)


def _object(line: bytes) -> Mapping[str, object]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FieldError("this is not JSON. Write one JSON object on each line.") from error
    if not isinstance(value, dict):
        raise FieldError("this is not a JSON object. Write one JSON object on each line.")
    return value


def _line(answer: dict[str, object]) -> bytes:
    # half a surrogate pair has no bytes, but JSON can write it as an escape
    return json.dumps(answer, ensure_ascii=False).encode("utf-8", "backslashreplace")
