"""One request under way: its limits, what the person sees of it, and its verdict."""

import time
from collections.abc import Callable
from typing import Final

from walissh.brain import openai_reply
from walissh.brain.openai_errors import Server
from walissh.errors import ModelBusyError, ModelError, ModelRefusedError
from walissh.react.turn import Reply, Request

AFTER_END_S = 2.0  # the usage chunk follows the end; not worth a longer wait
MAX_REPLY_CHARS = 400_000  # a small model that repeats itself never stops
LATER: Final = "Try again later."
MAX_HELD_CHARS = 8_000  # a printed call is short
CUT_MARK = {
    "zh": "\n\n（回答达到模型的长度上限，在此截断）",
    "en": "\n\n(The answer was cut here at the model's length limit.)",
}


class Attempt:
    """One request under way: what has come, and until when the next piece must."""

    def __init__(
        self, request: Request, server: Server, on_text: Callable[[str], None], *, limit_s: float
    ) -> None:
        self.request = request
        self._server = server
        self._on_text = on_text
        self._limit_s = limit_s
        self._deadline = time.monotonic() + limit_s
        self._tools = frozenset(tool.name for tool in request.tools)
        self._got = openai_reply.Assembly(self._tools)
        self._held: str | None = "" if self._tools else None

    @property
    def is_late(self) -> bool:
        """Tell whether the next piece should have been here by now."""
        return time.monotonic() > self._deadline

    @property
    def is_complete(self) -> bool:
        """Tell whether the server said that the reply ends."""
        return bool(self._got.finish)

    @property
    def partial(self) -> str:
        """The text so far."""
        return self._got.text

    def take(self, chunk: object) -> None:
        """Take one chunk and pass its text on."""
        self._say(self._got.add(chunk))
        if self._got.begun:
            wait_s = min(AFTER_END_S, self._limit_s) if self.is_complete else self._limit_s
            self._deadline = time.monotonic() + wait_s
        if self._got.chars > MAX_REPLY_CHARS:
            raise self._failed(f"sent more than {MAX_REPLY_CHARS:,} characters and did not stop")

    def make_do(self) -> Reply:
        """Return the reply if only the farewell is late; raises ModelBusyError otherwise."""
        if self.is_complete:
            return self.conclude()
        begun = self._got.begun
        what = "stopped in the middle of its answer" if begun else "did not begin to answer"
        words = self._server.sentence(f"{what}: nothing for {self._limit_s:g} s", advice=LATER)
        raise ModelBusyError(words, partial=self.partial)

    def conclude(self) -> Reply:
        """Return the whole reply; raises ModelError and its kin if it is none."""
        self._check_end()
        text, calls = self.partial, self._got.calls()
        if not calls and self._tools:
            calls = openai_reply.read_printed_calls(text, self._tools)
            text = "" if calls else text
        if not calls and not text.strip():
            raise self._failed("gave an empty reply")
        if not calls and self._got.finish == "length":
            text += CUT_MARK[self.request.language]
        self._show_rest(text)
        return Reply(text, calls, self._got.usage)

    def _check_end(self) -> None:
        finish = self._got.finish
        if finish in ("", "error"):
            words = self._server.sentence("ended its answer in the middle", advice="Try again.")
            raise ModelBusyError(words, partial=self.partial)
        if finish == "content_filter":
            words = self._server.sentence("withheld the answer (its content filter)")
            raise ModelRefusedError(words, partial=self.partial)
        if finish == "length" and not self._are_calls_whole():
            raise self._failed("reached its length limit in the middle of a command")

    def _are_calls_whole(self) -> bool:
        return all(openai_reply.is_json_object(call.arguments) for call in self._got.calls())

    def _say(self, piece: str) -> None:
        # a call that is printed as text is not shown to the person as an answer
        if self._held is not None:
            piece = self._held + piece
            may_become_call = len(piece) <= MAX_HELD_CHARS and openai_reply.may_become_call(piece)
            self._held = piece if may_become_call else None
        if piece and self._held is None:
            self._on_text(piece)

    def _show_rest(self, text: str) -> None:
        shown = len(self.partial) - len(self._held or "")
        if text[shown:]:
            self._on_text(text[shown:])

    def _failed(self, what: str) -> ModelError:
        return ModelError(
            self._server.sentence(what, advice="Try again, or choose another model."),
            partial=self.partial,
        )
