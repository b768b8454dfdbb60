"""The lines that a command reads: of a file, or of standard input."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from walissh.errors import InvalidError


@contextmanager
def opened(file: str) -> Iterator[BinaryIO]:
    """Give the lines of *file*, of standard input for "-"; raises InvalidError."""
    if file == "-":
        yield sys.stdin.buffer
        return
    try:
        with Path(file).open("rb") as lines:
            yield lines
    except OSError as error:
        raise InvalidError(f"{file} cannot be read: {error}") from error
