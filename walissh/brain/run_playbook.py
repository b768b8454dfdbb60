"""The tool ``run_playbook``: a model asks for a playbook and gets a report, in one call.

The commands of a playbook come in rounds: each follows from what the last one showed. Those
rounds are made here, without the model: they are ordinary calls of ``run_command``, so that
each passes the gate and stands in the journal. The model sees its call and the report only.
Nothing is kept between calls: where a playbook stands follows from the messages, so any
process can go on with it.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from walissh.brain import calls, diagnosed, question, remembered, report, rounds
from walissh.brain.diagnose import Diagnosis, Told, diagnose
from walissh.brain.playbook import Catalogue, Playbook
from walissh.brain.report import RANK, Blind, Found, Outlook
from walissh.brain.rounds import RUN_COMMAND, Read, Results
from walissh.errors import TurnCancelledError
from walissh.react import observation
from walissh.react.needs import Model
from walissh.react.offered import RUN_PLAYBOOK
from walissh.react.tools import STARTED
from walissh.react.turn import Language, Message, Reply, Request, ToolCall

OWN: Final = "walissh-playbook-"
"""How the ids of our own calls begin."""

# --- the engine: all that is known of it is in this part ---------------------------------


def look(
    catalogue: Catalogue,
    books: Sequence[Playbook],
    results: Results,
    host: str,
    *,
    ask: Mapping[str, object],
    language: Language,
) -> Diagnosis:
    """Say what *books* make of the results of *host* so far, and what they ask for next."""
    mine = rounds.of_host(results, host)
    return diagnose(catalogue, books, mine, ask=ask, language=language)


def asked_of(said: str, request: Request, catalogue: Catalogue) -> Mapping[str, object]:
    """Return what a question names, as playbooks read it, and what memory knows of the hosts."""
    things = question.understand(said, request.hosts, catalogue).things
    return remembered.with_known(things, request.messages).as_names()


def outlook(found: Diagnosis, language: Language) -> Outlook:
    """Return what the engine says in a form of ours."""
    causes = [_found(each) for each in found.causes]
    known = {each.text for cause in causes for each in (cause, *cause.steps)}
    others = {each.text: _found(each) for each in found.told if _is_wrong(each)}
    rest = sorted(
        (each for text, each in others.items() if text not in known),
        key=lambda each: RANK[each.severity],
    )
    return Outlook(
        findings=(*causes, *rest),
        facts=_of_role(found, "fact"),
        ruled_out=_of_role(found, "clear"),
        unseen=tuple(
            Blind(each.why.in_language(language), each.command, each.reason, each.ran)
            for each in found.unseen
        ),
        answered=found.answered,
    )


def _is_wrong(told: Told) -> bool:
    return told.role in ("cause", "symptom") and told.severity in RANK


def _of_role(found: Diagnosis, role: str) -> tuple[Found, ...]:
    return tuple({each.text: _found(each) for each in found.told if each.role == role}.values())


def _found(told: Told) -> Found:
    return Found(
        name=told.name,
        severity=told.severity,
        text=told.text,
        fix=told.fix,
        verify=told.verify,
        places=told.places,
        silent=told.silent,
        sure=told.sure if told.role == "cause" else 0,
        steps=tuple(_found(each) for each in told.steps),
    )


# --- playbooks for a model -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Task:
    """One playbook on one host, as one call asks for it."""

    call_id: str
    book: Playbook
    host: str


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A reply of the model with all that followed it, our own rounds included."""

    messages: tuple[Message, ...]
    tasks: tuple[_Task, ...]


@dataclass(frozen=True, slots=True)
class _Standing:
    """Where the tasks of one stretch stand; *commands* have been run for them."""

    stretch: _Stretch
    found: tuple[tuple[_Task, Diagnosis], ...]
    commands: int

    @property
    def is_finished(self) -> bool:
        """Tell whether no playbook asks for more."""
        return not any(found.orders for _, found in self.found)


class WithPlaybooks:
    """A ``react.needs.Model`` that runs the playbooks which *model* asks for, and reports."""

    def __init__(self, model: Model, catalogue: Catalogue, read: Read = observation.parse) -> None:
        self._model = model
        self._books = {each.name: each for each in catalogue.playbooks}
        self._catalogue = catalogue
        self._read = read

    @property
    def name(self) -> str:
        """The name of the model itself."""
        return self._model.name

    def complete(
        self,
        request: Request,
        *,
        on_text: Callable[[str], None],
        cancelled: Callable[[], bool],
    ) -> Reply:
        """Go on with a playbook that is under way, else ask the model (`react.needs.Model`)."""
        start = _start(request.messages)
        stretches = self._stretches(request.messages[start:], request)
        if any(each.tasks for each in stretches):
            standing = [self._standing(each, request) for each in stretches]
            reply = _next_round(standing[-1], request)
            if reply is not None:
                if cancelled():
                    raise TurnCancelledError("The turn was stopped.")
                on_text(reply.text)
                return reply
            folded = [each for one in standing for each in _folded(one, request.language)]
            request = replace(request, messages=(*request.messages[:start], *folded))
            reply = self._model.complete(request, on_text=on_text, cancelled=cancelled)
            return reply if reply.tool_calls else _with_causes(reply, standing, request)
        return self._model.complete(request, on_text=on_text, cancelled=cancelled)

    def _stretches(self, said: Sequence[Message], request: Request) -> list[_Stretch]:
        """Cut what was said since the question at each reply that the model made itself."""
        cuts = [at for at, each in enumerate(said) if each.role == "assistant" and not _own(each)]
        bounds = [*dict.fromkeys((0, *cuts)), len(said)]
        parts = [tuple(said[a:b]) for a, b in pairwise(bounds) if a < b]
        return [_Stretch(part, self._tasks(part, request)) for part in parts]

    def _tasks(self, part: Sequence[Message], request: Request) -> tuple[_Task, ...]:
        """Return what was taken on: a call that was answered by an error was not."""
        taken = {
            each.tool_call_id
            for each in part
            if each.role == "tool" and each.content.startswith(STARTED)
        }
        return tuple(
            _Task(call.id, book, host)
            for message in part
            for call in message.tool_calls
            if call.name == RUN_PLAYBOOK and call.id in taken
            for book, hosts in self._wanted(call, request)
            for host in hosts
        )

    def _wanted(self, call: ToolCall, request: Request) -> list[tuple[Playbook, list[str]]]:
        given = _arguments(call)
        book = self._books.get(str(given.get("name")))
        named = given.get("hosts") or given.get("host") or list(request.hosts)
        hosts = named if isinstance(named, list) else [named]
        known = [each for each in dict.fromkeys(map(str, hosts)) if each in request.hosts]
        return [(book, known)] if book is not None else []

    def _standing(self, stretch: _Stretch, request: Request) -> _Standing:
        if not stretch.tasks:
            return _Standing(stretch, (), 0)
        said = request.messages[_start(request.messages) - 1].content
        ask = asked_of(said, request, self._catalogue)
        now = rounds.current((Message("user", said), *stretch.messages), self._read)
        found = tuple(
            (
                task,
                look(
                    self._catalogue,
                    [task.book],
                    now.results,
                    task.host,
                    ask=ask,
                    language=request.language,
                ),
            )
            for task in stretch.tasks
        )
        return _Standing(stretch, found, len(now.results))


def _start(messages: Sequence[Message]) -> int:
    """Return where the answer to the newest question begins; the end without a question."""
    places = [at for at, each in enumerate(messages) if each.role == "user"]
    return places[-1] + 1 if places else len(messages)


def _own(message: Message) -> bool:
    made = message.tool_calls
    return bool(made) and all(call.name == RUN_COMMAND and call.id.startswith(OWN) for call in made)


def _arguments(call: ToolCall) -> Mapping[str, object]:
    try:
        given = json.loads(call.arguments)
    except ValueError:
        return {}
    return given if isinstance(given, dict) else {}


def _next_round(standing: _Standing, request: Request) -> Reply | None:
    """Return the commands that come next; None if there are none or none may be run."""
    if standing.is_finished or not any(tool.name == RUN_COMMAND for tool in request.tools):
        return None
    wanted = calls.of_orders(
        [(task.host, found) for task, found in standing.found],
        request.language,
        standing.commands + 1,
        prefix=OWN,
    )
    begun = any(_own(each) for each in standing.stretch.messages)
    names = ", ".join(
        dict.fromkeys(f"{task.book.name} ({task.host})" for task, _ in standing.found)
    )
    return Reply("" if begun else report.phrase("running", request.language, names=names), wanted)


def _with_causes(reply: Reply, standing: Sequence[_Standing], request: Request) -> Reply:
    """Return the last reply with what the playbooks found, which it was told."""
    found = [(task.host, each) for one in standing for task, each in one.found]
    asked = next((each.content for each in reversed(request.messages) if each.role == "user"), "")
    return replace(reply, diagnosed=diagnosed.of_hosts(asked, found))


def _folded(standing: _Standing, language: Language) -> list[Message]:
    """Return the stretch as the model sees it: our rounds gone, the reports in their place."""
    reports: dict[str, list[str]] = {}
    for task, found in standing.found:
        told = report.render(
            task.book, task.host, outlook(found, language), language, finished=not found.orders
        )
        reports.setdefault(task.call_id, []).append(told)
    said = standing.stretch.messages
    ours = {call.id for each in said if _own(each) for call in each.tool_calls}
    return [
        _reported(each, reports)
        for each in said
        if not _own(each) and each.tool_call_id not in ours
    ]


def _reported(message: Message, reports: Mapping[str, Sequence[str]]) -> Message:
    told = reports.get(message.tool_call_id or "") if message.role == "tool" else None
    return replace(message, content="\n\n".join(told)) if told else message


# --- playbooks alone -------------------------------------------------------------------


class OnlyPlaybooks:
    """A ``react.needs.Model`` for one turn: it runs *books* on its host, whatever is asked.

    *found* is what they found so far, None before the first step.
    """

    name = "playbooks"

    def __init__(
        self, catalogue: Catalogue, books: Sequence[Playbook], read: Read = observation.parse
    ) -> None:
        self._catalogue = catalogue
        self._books = tuple(books)
        self._read = read
        self.found: Outlook | None = None

    def complete(
        self,
        request: Request,
        *,
        on_text: Callable[[str], None],
        cancelled: Callable[[], bool],
    ) -> Reply:
        """Ask for the next commands, or end; raises TurnCancelledError."""
        if cancelled():
            raise TurnCancelledError("The turn was stopped.")
        host, language = request.hosts[0], request.language
        results = rounds.current(request.messages, self._read).results
        ask = asked_of("", request, self._catalogue)
        found = look(self._catalogue, self._books, results, host, ask=ask, language=language)
        self.found = outlook(found, language)
        if found.orders and any(tool.name == RUN_COMMAND for tool in request.tools):
            wanted = calls.of_orders([(host, found)], language, len(results) + 1, prefix=OWN)
            return Reply("", wanted)
        return Reply(report.phrase("cut_short" if found.orders else "finished", language))
