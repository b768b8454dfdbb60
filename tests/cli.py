"""The command line, run in this process on a home of its own."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from flask import Flask

from tests.services import clean_environment
from walissh import cli
from walissh.config import Settings
from walissh.web import create_app


@dataclass(frozen=True, slots=True)
class Result:
    """How a command ended and what it wrote."""

    code: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class CommandLine:
    """``walissh`` with its data in *home*."""

    home: Path

    def run(self, *arguments: str, stdin: str = "", **environment: str) -> Result:
        """Run ``walissh ARGUMENTS`` with *stdin* as its standard input, which is no terminal."""
        out, err = io.StringIO(), io.StringIO()
        process = self._as_process(arguments, stdin, environment)
        with process, redirect_stdout(out), redirect_stderr(err):
            code = self._exit_code()
        return Result(code, out.getvalue(), err.getvalue())

    def app(self) -> Flask:
        """Return an application on the same data."""
        return create_app(Settings(home=self.home))

    @staticmethod
    def _exit_code() -> int:
        try:
            cli.main()
        except SystemExit as ended:
            return int(ended.code or 0)
        return 0

    @contextmanager
    def _as_process(
        self, arguments: tuple[str, ...], stdin: str, environment: dict[str, str]
    ) -> Iterator[None]:
        before = dict(os.environ), sys.argv, sys.stdin
        os.environ.clear()
        os.environ.update(clean_environment(WALISSH_HOME=str(self.home), **environment))
        sys.argv, sys.stdin = (
            ["walissh", *arguments],
            io.TextIOWrapper(io.BytesIO(stdin.encode()), "utf-8"),
        )
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before[0])
            _, sys.argv, sys.stdin = before
