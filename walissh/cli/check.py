"""``walissh check``: playbooks on many hosts at once, for scripts and cron.

Each host gets a turn of its own in this process, as ``walissh chat --ephemeral`` plays it:
the same loop and gate, hosts and keys read only, every command in the audit trail. There
is no model, and nobody to ask: what would wait for approval is left out and named.
"""

import json
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from walissh.cli import checked
from walissh.cli.checked import Checked, Status
from walissh.cli.opened import opened, owner
from walissh.errors import InvalidError, NotFoundError, WalisshError
from walissh.react.turn import Language

if TYPE_CHECKING:  # loaded when it is needed: `walissh --help` looks at every command
    from walissh.brain.library import Library
    from walissh.brain.playbook import Playbook
    from walissh.cli.inquiry import Inquiry
    from walissh.react.host import Host

OVERVIEW: Final = "overview"
LOOK_EACH_S: Final = 0.2
UNKNOWN: Final = checked.EXIT_CODES[Status.UNKNOWN]


class _MisusedError(click.UsageError):
    exit_code = UNKNOWN


class _Plugin(click.Command):
    """A command whose own faults are no finding: it ends with 3, not with 1 or 2."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Parse the arguments."""
        try:
            return super().make_context(*args, **kwargs)
        except click.UsageError as error:
            raise _MisusedError(error.format_message(), error.ctx) from error

    def invoke(self, ctx: click.Context) -> Any:
        """Run it."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception:  # noqa: BLE001  no job; a traceback would end with 1, a warning
            traceback.print_exc()
            sys.exit(UNKNOWN)


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which hosts are meant."""

    names: tuple[str, ...]
    groups: tuple[str, ...]
    all_hosts: bool


@click.command(cls=_Plugin)
@click.argument("hosts", metavar="HOST...", nargs=-1)
@click.option("--group", "groups", multiple=True, help="All hosts of a group; may be repeated.")
@click.option("--all", "all_hosts", is_flag=True, help="All your hosts.")
@click.option(
    "--playbook", "playbooks", multiple=True, help="May be repeated; without: the overview."
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
@click.option("--parallel", type=click.IntRange(1, 64), default=8, help="So many hosts at once.")
@click.option("--user", "person", metavar="NAME", help="Whose hosts; without: the admin's.")
def check(
    hosts: tuple[str, ...],
    groups: tuple[str, ...],
    all_hosts: bool,
    playbooks: tuple[str, ...],
    form: str,
    parallel: int,
    person: str | None,
) -> None:
    """Run playbooks on each HOST, with no model, and say what is wrong.

    Exit code: 0 nothing is wrong, 1 a warning, 2 critical, 3 a host could not be checked.
    Nothing is changed, and nothing waits for approval.
    """
    begun = time.monotonic()
    language: Language = "en"
    try:
        with opened():
            from walissh import wiring

            language = wiring.settings().lang or "en"
            found = _all(Chosen(hosts, groups, all_hosts), playbooks, parallel, person)
    except WalisshError as error:
        _refuse(str(error), form)
    if form == "json":
        report = checked.as_json(found, time.monotonic() - begun, language)
        _tell(json.dumps(report, ensure_ascii=False))
    else:
        _tell(checked.text(found, language))
    sys.exit(checked.EXIT_CODES[checked.worst(each.status for each in found)])


def _tell(report: str) -> None:
    try:
        click.echo(report)
    except OSError as error:
        _end_untold(error)


def _end_untold(error: OSError) -> NoReturn:
    """End with 3: nobody has read what was found."""
    # what is left in the buffer would fail once more, and end the process with 120
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    with suppress(OSError):
        click.echo(f"walissh: the report cannot be written: {error}", err=True)
    sys.exit(UNKNOWN)


def _refuse(why: str, form: str) -> None:
    click.echo(f"walissh: {why}", err=True)
    if form == "json":
        click.echo(json.dumps({"status": Status.UNKNOWN.value, "error": why, "hosts": []}))
    sys.exit(UNKNOWN)


def _all(
    chosen: Chosen, playbooks: Sequence[str], parallel: int, person: str | None
) -> list[Checked]:
    """Check every host that is meant, in the order of the words; one without a host is told."""
    from walissh import wiring
    from walissh.brain import library
    from walissh.cli.inquiry import Inquiry

    settings, asking = wiring.settings(), owner(person)
    known = library.of(settings.home)
    books = _books(known, playbooks)
    meant = _meant(chosen, asking.id)
    missing = [name for name, host in meant.items() if host is None]
    with _stopping() as stop, Inquiry.opened(asking, known.catalogue, books, stop) as inquiry:
        found = _in_parallel(inquiry, [host for host in meant.values() if host], parallel, stop)
    why = "There is no host of this name. See: walissh host list"
    found |= {name: Checked(name, error=why) for name in missing}
    return [found[name] for name in meant]


def _books(known: "Library", names: Sequence[str]) -> "list[Playbook]":
    by_name = {each.name: each for each in known.catalogue.playbooks}
    for name in names:
        if name not in by_name:
            raise InvalidError(
                f"There is no playbook {name}. Use one of: {', '.join(by_name)}."
                " What was left out is named by: walissh doctor"
            )
    return [by_name[name] for name in dict.fromkeys(names or (OVERVIEW,))]


def _meant(chosen: Chosen, owner_id: str) -> "dict[str, Host | None]":
    """Return the hosts by name; None for a name that there is no host of."""
    from walissh.store import hosts

    mine = {each.name: each for each in hosts.within_reach(owner_id)}
    meant = {name: mine.get(name) for name in chosen.names}
    for name, host in mine.items():
        if chosen.all_hosts or not set(chosen.groups).isdisjoint(host.groups):
            meant[name] = host
    if not meant:
        raise NotFoundError("No host is meant. Name one, or use --group or --all.")
    return meant


def _in_parallel(
    inquiry: "Inquiry", hosts: "Sequence[Host]", parallel: int, stop: threading.Event
) -> dict[str, Checked]:
    """Check *hosts*, so many at once; a slow one holds up no other."""
    language = inquiry.language
    found: dict[str, Checked] = {}
    with ThreadPoolExecutor(parallel, thread_name_prefix="check") as threads:
        asked = {threads.submit(inquiry.check, each): each.name for each in hosts}
        waiting: set[Future[Checked]] = set(asked)
        while waiting:
            done, waiting = wait(waiting, LOOK_EACH_S, FIRST_COMPLETED)
            if stop.is_set():
                waiting = {each for each in waiting if not each.cancel()}
            for each in done:
                if not each.cancelled():
                    found[asked[each]] = each.result()
    stopped = checked.phrase("stopped", language)
    return {each.name: found.get(each.name, Checked(each.name, error=stopped)) for each in hosts}


@contextmanager
def _stopping() -> Iterator[threading.Event]:
    """Give what the first SIGINT or SIGTERM sets; the second one ends this process."""
    stop = threading.Event()
    before: dict[int, Callable[[int, FrameType | None], Any] | int | None] = {}

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        stop.set()
        restore()

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    for number in (signal.SIGINT, signal.SIGTERM):
        before[number] = signal.signal(number, on_signal)
    try:
        yield stop
    finally:
        restore()
