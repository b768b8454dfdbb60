"""What was folded for the model: where in the talk it ends, and what is kept of it."""

from dataclasses import dataclass

from walissh.react.turn import Session
from walissh.react.window.summary import NOTED, PINNED, Summary
from walissh.store import history, summaries
from walissh.web.pages import view

_PARTS = (*PINNED, "kept")
_NOTES = tuple(each for each in NOTED if each != "lines")


@dataclass(frozen=True, slots=True)
class Part:
    """One heading of the summary, by the name of its field, and what stands under it."""

    name: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Folded:
    """The mark: it stands after the turn *turn_id*, the last that was folded."""

    turn_id: str
    summary: Summary

    @property
    def sig(self) -> str:
        """A text that changes with the summary."""
        return view.digest(self.summary)

    @property
    def parts(self) -> tuple[Part, ...]:
        """What the summary says, without the lines of each round."""
        pinned = [Part(name, self.summary.texts(name)) for name in _PARTS]
        noted = [Part(each, _texts(self.summary, each)) for each in _NOTES]
        return tuple(each for each in (*pinned, *noted) if each.texts)

    @property
    def lines(self) -> tuple[str, ...]:
        """One line for each round that said something; a model's text in their place."""
        lines = _texts(self.summary, "lines")
        return (self.summary.written, *lines) if self.summary.written else lines


def of_session(session: Session) -> Folded | None:
    """Return the mark of a session; None if nothing was folded."""
    summary = summaries.load(session.id, session.user_id)
    last = history.find(summary.until, session.user_id) if summary.until else None
    return None if last is None else Folded(last.turn_id, summary)


def _texts(summary: Summary, name: str) -> tuple[str, ...]:
    return tuple(each.text for each in summary.notes(name))
