"""The one guard of memory: what fails there is counted and told, never in a turn's way."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from walissh.errors import StoreError, StoreRefusedError

logger = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SidePath:
    """Runs what a turn can do without.

    *fatal* are the exceptions that end a job (its time limit): they pass. *dropped* counts
    one failure of the named piece of work.
    """

    fatal: tuple[type[BaseException], ...]
    dropped: Callable[[str], None]

    def attempt(self, what: str, work: Callable[[], T], otherwise: T) -> T:
        """Return what *work* gives, or *otherwise* if it fails."""
        try:
            return work()
        except self.fatal:
            raise
        except Exception as error:  # noqa: BLE001  the guard: a memory may fail in any way
            self._drop(what, error)
            return otherwise

    def settled(self, what: str, work: Callable[[], object]) -> bool:
        """Do *work*; False if the store was away, so that it is worth doing again later.

        Any other failure would come again with the same input: it is counted and left.
        """
        try:
            work()
        except self.fatal:
            raise
        except StoreRefusedError as error:
            self._drop(what, error)
        except StoreError as error:
            self._drop(what, error)
            return False
        except Exception as error:  # noqa: BLE001  the guard: a memory may fail in any way
            self._drop(what, error)
        return True

    def _drop(self, what: str, error: Exception) -> None:
        # the class and not the text: an error may quote what somebody wrote
        cause = str(error) if isinstance(error, StoreError) else type(error).__name__
        logger.warning("memory dropped what=%s: %s", what, cause)
        self.dropped(what)
