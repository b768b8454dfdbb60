"""The offline brain: answers from playbooks, with no key, no network, no language model.

It speaks the same protocol as a model server and keeps nothing between calls: where it
stands follows from the messages after the last question. Its commands are ordinary tool
calls, so they pass the same gate and stand in the same journal.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from walissh.brain import answer, calls, diagnosed, followup, question, remembered, rounds
from walissh.brain.diagnose import Result, diagnose
from walissh.brain.playbook import Catalogue
from walissh.brain.question import Question
from walissh.brain.rounds import RUN_COMMAND, Read, Results
from walissh.errors import TurnCancelledError
from walissh.react import observation
from walissh.react.turn import Language, Reply, Request

_OWN_COMMAND_LIMIT_S: Final = 300


class OfflineBrain:
    """A ``react.needs.Model`` made of playbooks; *read* parses one tool message."""

    name = "offline"

    def __init__(self, catalogue: Catalogue, read: Read = observation.parse) -> None:
        self.catalogue = catalogue
        self._read = read

    def complete(
        self,
        request: Request,
        *,
        on_text: Callable[[str], None],
        cancelled: Callable[[], bool],
    ) -> Reply:
        """Ask for the next probes, or answer with what they showed.

        Raises TurnCancelledError if *cancelled* is true; no other error.
        """
        reply = self._reply(request)
        for piece in _pieces(reply.text):
            if cancelled():
                raise TurnCancelledError("The turn was stopped.")
            on_text(piece)
        return reply

    def _reply(self, request: Request) -> Reply:
        now = rounds.current(request.messages, self._read)
        asked = question.understand(now.question, request.hosts, self.catalogue)
        from_memory = _from_memory(now.question, asked, request)
        if from_memory is not None:
            return from_memory
        if asked.kind == "unknown":
            return Reply(answer.unknown(self.catalogue.playbooks, request.language))
        if asked.kind == "change":
            return Reply(answer.change(asked.playbooks, request.language))
        if not asked.hosts:
            return Reply(answer.no_host(request.language))
        allowed = any(tool.name == RUN_COMMAND for tool in request.tools)
        if asked.kind == "command":
            return _own_commands(asked, now.results, request.language, allowed)
        asked, cases = self._with_memory(asked, request)
        reply = self._diagnosis(asked, now.results, request.language, allowed)
        if not cases or (reply.tool_calls and now.results):
            return reply
        text = (answer.tried_first if reply.tool_calls else answer.with_memory)(
            reply.text, cases, request.language
        )
        return replace(reply, text=text)

    def _with_memory(self, asked: Question, request: Request) -> tuple[Question, list[str]]:
        """Return the question with what memory knows, and the similar cases of the past.

        What was looked at then is looked at first now; known ports and paths steer the probes.
        """
        cases = remembered.cases(request.messages, asked.things)
        things = remembered.with_known(asked.things, request.messages)
        then = [book for case in cases[:1] for book in question.choose(case, self.catalogue)[:1]]
        books = {each.name: each for each in (*then, *asked.playbooks)}
        short = [remembered.in_short(case) for case in cases]
        return replace(asked, things=things, playbooks=tuple(books.values())), short

    def _diagnosis(
        self, asked: Question, results: Results, language: Language, allowed: bool
    ) -> Reply:
        by_host = {
            host: diagnose(
                self.catalogue,
                asked.playbooks,
                rounds.of_host(results, host),
                ask=asked.things.as_names(),
                language=language,
            )
            for host in asked.hosts
        }
        wanted = calls.of_orders(by_host.items(), language, len(results) + 1, prefix="p-")
        if wanted and allowed:
            return Reply(_step_text(asked, bool(results), language), wanted)
        return Reply(
            answer.diagnosed(by_host, asked.playbooks, language, complete=not wanted),
            diagnosed=diagnosed.of_hosts(asked.text, by_host.items()),
        )


def _from_memory(said: str, asked: Question, request: Request) -> Reply | None:
    """Answer what is about memory itself, or about the past; None for all else."""
    if remembered.asks_for_wishes(said):
        wishes = remembered.wishes(request.messages)
        return Reply(answer.wishes(wishes, request.language)) if wishes else None
    is_past = remembered.is_about_the_past(said)
    if asked.kind == "unknown" and not is_past:
        remedy = followup.remedy(said, request.messages)
        if remedy:
            return Reply(answer.again(remedy, request.language))
    told = _told_from_memory(asked, is_past, request)
    if told:
        return Reply(answer.recalled(told, request.language))
    if remembered.is_but_a_wish(said):
        return Reply(answer.noted(request.language))
    return None


def _told_from_memory(asked: Question, is_past: bool, request: Request) -> list[str]:
    """Return what is recalled for a question about the past, or for one that nothing knows.

    The latter is told only what shares a word with it: anything is recalled for anything.
    """
    if is_past:
        return remembered.entries(request.messages)
    words = asked.things.words if asked.kind == "unknown" else ()
    return remembered.entries(request.messages, about=words) if words else []


def _step_text(asked: Question, deeper: bool, language: Language) -> str:
    if deeper:
        return answer.phrase("deeper", language)
    return answer.phrase("looking", language, titles=answer.titles(asked.playbooks, language))


def _own_commands(asked: Question, results: Results, language: Language, allowed: bool) -> Reply:
    """Propose the commands that the person wrote, then show what they gave."""
    waiting = [
        (command, part)
        for command in asked.commands
        for part in calls.batches([host for host in asked.hosts if (host, command) not in results])
    ]
    if not waiting or not allowed:
        return Reply(answer.ran(_in_order(asked, results, language), language))
    reason = answer.phrase("own", language)
    own = tuple(
        calls.run_command(
            f"p-own-{number}", part, command, reason=reason, timeout_s=_OWN_COMMAND_LIMIT_S
        )
        for number, (command, part) in enumerate(waiting, len(results) + 1)
    )
    return Reply(answer.phrase("running", language), own)


def _in_order(
    asked: Question, results: Results, language: Language
) -> dict[tuple[str, str], Result]:
    nothing = Result("", answer.phrase("no_result", language), None, "")
    pairs = [(host, command) for host in asked.hosts for command in asked.commands]
    return {pair: results.get(pair, nothing) for pair in pairs}


def _pieces(text: str) -> Iterable[str]:
    """Cut *text* into whole paragraphs, which joined give it again."""
    paragraphs = text.split("\n\n")
    last = len(paragraphs) - 1
    return [each + ("\n\n" if i < last else "") for i, each in enumerate(paragraphs)]
