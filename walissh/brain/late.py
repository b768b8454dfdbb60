"""A brain that is loaded when it is first asked: most processes never ask one."""

import threading
from collections.abc import Callable

from walissh.react.needs import Model
from walissh.react.turn import Reply, Request


class LateModel:
    """Stands in for the model that *load* gives; loads it once, whatever the thread."""

    def __init__(self, load: Callable[[], Model]) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._model: Model | None = None

    @property
    def name(self) -> str:
        """The model's name as shown to people."""
        return self.loaded().name

    def complete(
        self,
        request: Request,
        *,
        on_text: Callable[[str], None],
        cancelled: Callable[[], bool],
    ) -> Reply:
        """Answer as the model does (`react.needs.Model`)."""
        return self.loaded().complete(request, on_text=on_text, cancelled=cancelled)

    def loaded(self) -> Model:
        """Return the model itself; a worker calls it before its first job."""
        with self._lock:
            if self._model is None:
                self._model = self._load()
            return self._model
