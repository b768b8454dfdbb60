"""Sections of the prompt from other packages, found by their entry points.

A plugin is foreign code: at the start it is checked and named when it is wrong; in a turn
it may fail in any way, and then its section is left out of that prompt.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Final, cast

from walissh.errors import SettingsError
from walissh.react.misled import Aside
from walissh.react.prompt import SECTION_TOKENS, ContextProvider
from walissh.react.turn import DynamicContext, Section
from walissh.safety import purify

GROUP: Final = "walissh.context_providers"
MOST_TITLE_CHARS: Final = 60
RESERVED: Final = {40: "the summary", 50: "the history"}
"""Places of the prompt that no provider fills."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """A provider of another package; *name* is ``package: entry point``."""

    name: str
    order: int
    budget_tokens: int
    provider: ContextProvider
    aside: Aside

    def provide(self, context: DynamicContext) -> Section | None:
        """Return its section, None if it has nothing to say or failed."""
        return self.aside.attempt(f"plugin {self.name}", lambda: self._section(context), None)

    def _section(self, context: DynamicContext) -> Section | None:
        given: object = self.provider.provide(context)
        if given is None:
            return None
        if not isinstance(given, Section):
            raise TypeError("a provider returns a Section or None")
        title = " ".join(purify.clean(given.title).translate(_NO_BRACKETS).split())
        text = purify.clean(given.text).strip()
        return Section(title[:MOST_TITLE_CHARS], text) if text else None


_NO_BRACKETS: Final = str.maketrans("[]", "()")


def found() -> Iterable[EntryPoint]:
    """Return the entry points of all packages that are installed."""
    return entry_points(group=GROUP)


def load(points: Iterable[EntryPoint], aside: Aside) -> list[Plugin]:
    """Load the providers; raises SettingsError with the package of one that is wrong.

    *aside* runs them in a turn, where they may fail. The same entry point found twice (an
    editable install) is loaded once.
    """
    once = {(_name(each), each.value): each for each in points}
    return [_plugin(each, aside) for each in once.values()]


def _plugin(point: EntryPoint, aside: Aside) -> Plugin:
    name, provider = _name(point), _loaded(point)
    order = getattr(provider, "order", None)
    if type(order) is not int or order < 1:
        raise _wrong(name, "its `order` must be a whole number from 1")
    if order in RESERVED:
        raise _wrong(name, f"its `order` {order} is the place of {RESERVED[order]}")
    budget = getattr(provider, "budget_tokens", SECTION_TOKENS)
    if type(budget) is not int or budget < 1:
        raise _wrong(name, "its `budget_tokens` must be a whole number from 1")
    if not callable(getattr(provider, "provide", None)):
        raise _wrong(name, "it has no `provide(context)`")
    return Plugin(name, order, budget, cast("ContextProvider", provider), aside)


def _loaded(point: EntryPoint) -> object:
    try:
        value = point.load()
        return value() if isinstance(value, type) else value
    except Exception as error:  # foreign code may fail in any way: here it is named
        why = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise _wrong(_name(point), f"it cannot be loaded ({why[:200]})") from error


def _name(point: EntryPoint) -> str:
    package = point.dist.name if point.dist else point.module.partition(".")[0]
    return f"{package}: {point.name}"


def _wrong(name: str, why: str) -> SettingsError:
    package = name.partition(":")[0]
    return SettingsError(
        f"The context provider {name!r} is wrong: {why}. Mend or uninstall the package"
        f" {package!r}, then start again."
    )
