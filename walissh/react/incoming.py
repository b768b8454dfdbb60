"""What a command prints, piece by piece, on its way into the journal and to who watches.

Clean text comes from the mouth (``safety.purify``); here it is stored, told, or withheld.
"""

from walissh.errors import StoreError
from walissh.react import course, telling
from walissh.react.circumstances import Flag
from walissh.react.parts import Parts
from walissh.react.turn import CommandRun
from walissh.safety import inject, withhold


class Incoming:
    """The output of one run. Once a piece cannot be stored, no other is taken."""

    def __init__(
        self, parts: Parts, run: CommandRun, exact: str, lent: tuple[tuple[str, str], ...] = ()
    ) -> None:
        self._parts, self._run = parts, run
        self._lent = lent
        self._withheld = withhold.is_due(run, exact)
        self._spoke = False
        self._watch = inject.Watch()
        self.broken: StoreError | None = None
        """Why a piece could not be stored: the command must end."""

    def take(self, text: str) -> None:
        """Take the next piece."""
        # a value that the command was given needs no sign to be known again
        for value, mark in self._lent:
            text = text.replace(value, mark)
        if self.broken is None and text:
            try:
                self._keep(text)
            except StoreError as error:
                self.broken = error

    def finish(self) -> None:
        """Take note that nothing more comes; before the end of the run is stored."""
        if self.broken is None:
            self._settle()

    def _settle(self) -> None:
        try:
            self._flag(self._watch.finish())
        except StoreError as error:
            self.broken = error
        if self._withheld and self._spoke and self.broken is None:
            language = course.language_of(self._parts, self._run)
            try:
                self._store(withhold.note(language))
            except StoreError as error:
                self.broken = error

    def _keep(self, text: str) -> None:
        self._spoke = True
        if self._withheld:
            self._parts.vault.withhold(self._run.id, text)
        else:
            # before anybody can act on it
            self._flag(self._watch.feed(text))
            self._store(text)

    def _flag(self, found: tuple[Flag, ...]) -> None:
        """Note the orders that were found; what is withheld gives none to anybody."""
        if found:
            self._parts.flags.note(self._run.id, found)

    def _store(self, text: str) -> None:
        offset = self._parts.commands.append_output(self._run.id, text)
        telling.tell_output(self._parts, self._run, text, offset)
