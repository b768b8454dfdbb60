"""The prompt: providers in order fill sections, templates render them.

Ancestors: ChatContextService.buildPromptContext, PromptContextVO, DynamicPromptBuilder.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from walissh.config import asset_dir
from walissh.errors import SettingsError
from walissh.react import offered, rounds
from walissh.react.turn import DynamicContext, Language, Message, Request, Section

HISTORY_CHARS = 160_000
"""About 40,000 tokens; fitting the window by tokens is the work of compaction."""


@dataclass(frozen=True, slots=True)
class PromptContext:
    """All sections, in the order of their providers."""

    sections: tuple[Section, ...]

    def render(self) -> str:
        """Return the system message."""
        return "\n\n".join(
            f"[{each.title}]\n{each.text}" if each.title else each.text for each in self.sections
        )


class ContextProvider(Protocol):
    """Gives one section of the prompt; *order* is unique among the providers."""

    @property
    def order(self) -> int:
        """The place of the section: system 0, hosts 10, long-term memory 25 and so on."""

    def provide(self, context: DynamicContext) -> Section | None:
        """Return the section, None if there is nothing to say."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """The providers of this installation, sorted; two of one order stop the start."""

    providers: tuple[ContextProvider, ...]

    @classmethod
    def of(cls, providers: Sequence[ContextProvider]) -> "Prompt":
        """Sort the providers; raises SettingsError if two have the same order."""
        orders = [each.order for each in providers]
        twice = {order for order in orders if orders.count(order) > 1}
        if twice:
            raise SettingsError(f"Two context providers have the order {min(twice)}.")
        return cls(tuple(sorted(providers, key=lambda each: each.order)))

    def build(
        self,
        context: DynamicContext,
        *,
        wrap_up: bool = False,
        history_chars: int = HISTORY_CHARS,
    ) -> Request:
        """Return what the model gets: one system message, then whole rounds.

        With *wrap_up* no tools are offered and the model is told to sum up.
        """
        given = (each.provide(context) for each in self.providers)
        sections = [each for each in given if each is not None]
        if wrap_up:
            sections.append(Section("", render("wrap_up", context.turn.language)))
        system = Message("system", PromptContext(tuple(sections)).render())
        return Request(
            messages=(system, *rounds.fit(context.history, history_chars)),
            tools=() if wrap_up else offered.ALL,
            hosts=tuple(host.name for host in context.hosts),
            language=context.turn.language,
        )


class SystemProvider:
    """Who the agent is and how it works."""

    order = 0

    def provide(self, context: DynamicContext) -> Section | None:
        """Return the standing instructions in the language of the question."""
        return Section("", render("system", context.turn.language))


class HostsProvider:
    """The hosts of the session."""

    order = 10

    def provide(self, context: DynamicContext) -> Section | None:
        """Return the list of hosts, or the advice to have one chosen."""
        language = context.turn.language
        title = "主机" if language == "zh" else "Hosts"
        return Section(title, render("hosts", language, hosts=context.hosts))


def render(name: str, language: Language, **values: object) -> str:
    """Render ``templates/prompts/<name>_<language>.txt``; an unknown value is an error."""
    return _environment().get_template(f"{name}_{language}.txt").render(**values).strip()


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(asset_dir("templates") / "prompts"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701  plain text for a model, not HTML
    )
