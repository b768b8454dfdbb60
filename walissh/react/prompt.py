"""The prompt: providers in order fill sections, templates render them.

Ancestors: ChatContextService.buildPromptContext, PromptContextVO, DynamicPromptBuilder.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Protocol

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from walissh.config import asset_dir
from walissh.errors import SettingsError
from walissh.react import offered, rounds
from walissh.react.gauge import Window
from walissh.react.turn import DynamicContext, Language, Request, Section
from walissh.react.window.values import Budget, Fitted

SECTION_TOKENS = 6_000
"""What a section may take whose provider says nothing else."""
CUT = "[...]"
_BORDER = re.compile(r"<<<(\S+ \S+)")
SECTIONS_SHARE = 0.6
"""All sections together take at most so much of the window: the rest is for the talk."""


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
    """Gives one section of the prompt; *order* is unique among the providers.

    A provider may have ``budget_tokens: int``; what goes over it is cut off at a line's end.
    """

    @property
    def order(self) -> int:
        """The place of the section: system 0, hosts 10, long-term memory 25 and so on."""

    def provide(self, context: DynamicContext) -> Section | None:
        """Return the section, None if there is nothing to say."""


@dataclass(frozen=True, slots=True)
class Share:
    """A section as it is sent, and what it costs."""

    order: int
    section: Section
    tokens: int


@dataclass(frozen=True, slots=True)
class Built:
    """A request, and how it came about; *tokens* is what all of it costs, tools and all."""

    request: Request
    shares: tuple[Share, ...]
    fitted: Fitted
    tokens: int


@dataclass(frozen=True, slots=True)
class Prompt:
    """The providers of this installation, sorted; two of one order stop the start."""

    providers: tuple[ContextProvider, ...]
    playbooks: offered.Titles = offered.no_playbooks

    @classmethod
    def of(
        cls,
        providers: Sequence[ContextProvider],
        playbooks: offered.Titles = offered.no_playbooks,
    ) -> "Prompt":
        """Sort the providers; raises SettingsError if two have the same order."""
        by_order = sorted(providers, key=lambda each: each.order)
        for one, other in pairwise(by_order):
            if one.order == other.order:
                raise SettingsError(
                    f"Two context providers have the order {one.order}: {_name(one)} and"
                    f" {_name(other)}. Give one of them another number."
                )
        return cls(tuple(by_order), playbooks)

    def build(self, context: DynamicContext, window: Window, *, wrap_up: bool = False) -> Built:
        """Return what the model gets: one system message, then whole rounds.

        With *wrap_up* no tools are offered and the model is told to sum up. Raises
        ContextTooLongError if the window holds not even the question.
        """
        tools = () if wrap_up else offered.every(self.playbooks())
        room = window.tokens - window.counter.tools(tools)
        shares = self._shares(context, window, int(room * SECTIONS_SHARE), wrap_up=wrap_up)
        system = PromptContext(tuple(each.section for each in shares)).render()
        language = context.turn.language
        budget = Budget(room, window.counter, system, language, window.line_chars)
        fitted = window.strategy.fit(rounds.split(context.history), context.summary, budget)
        request = Request(
            messages=fitted.messages,
            tools=tools,
            hosts=tuple(host.name for host in context.hosts),
            language=language,
        )
        return Built(request, shares, fitted, window.tokens - room + fitted.tokens)

    def _shares(
        self, context: DynamicContext, window: Window, most: int, *, wrap_up: bool
    ) -> tuple[Share, ...]:
        """Return the sections, each within its budget and all within *most* tokens.

        The last in the order give way first; the first, which says how to work, never does.
        """
        shares = [
            _share(each.order, section, getattr(each, "budget_tokens", SECTION_TOKENS), window)
            for each in self.providers
            if (section := each.provide(context)) is not None
        ]
        if wrap_up:
            told = Section("", render("wrap_up", context.turn.language))
            shares.insert(1, _share(SystemProvider.order, told, SECTION_TOKENS, window))
        for at in reversed(range(1, len(shares))):
            over = sum(each.tokens for each in shares) - most
            if over > 0 and shares[at].order != SystemProvider.order:
                left = max(shares[at].tokens - over, 0)
                shares[at] = _share(shares[at].order, shares[at].section, left, window)
        return tuple(each for each in shares if each.section.text)


def _name(provider: ContextProvider) -> str:
    """Return what a plugin is called by its package, one of ours by its class."""
    return str(getattr(provider, "name", type(provider).__name__))


def _share(order: int, section: Section, budget_tokens: int, window: Window) -> Share:
    """Return the section within its budget, what is over it cut off at a line's end."""
    head = window.counter.text(f"[{section.title}]\n\n")
    if not window.counter.fits(section.text, budget_tokens - head):
        short = _cut(section.text, budget_tokens - head, window)
        section = Section(section.title, short)
    return Share(order, section, head + window.counter.text(section.text))


def _cut(text: str, tokens: int, window: Window) -> str:
    """Return the first lines of *text* within *tokens*, with a mark; "" if none fits.

    A border of data that was opened is closed: what follows must not read as data.
    """
    left = tokens - window.counter.text(CUT)
    kept: list[str] = []
    closing = ""
    for line in text.splitlines():
        opened = _BORDER.fullmatch(line)
        closing = f"{opened[1]}>>>" if opened else "" if line == closing else closing
        left -= window.counter.text(line) + 1
        if left < window.counter.text(closing):
            break
        kept.append(line)
    else:
        return text
    return "\n".join([*kept, CUT, *_closed(kept)]) if kept else ""


def _closed(lines: Sequence[str]) -> list[str]:
    """Return the closing border of what *lines* leave open."""
    opened = [found[1] for line in lines if (found := _BORDER.fullmatch(line))]
    return [f"{opened[-1]}>>>"] if opened and f"{opened[-1]}>>>" not in lines else []


class SystemProvider:
    """Who the agent is and how it works."""

    order = 0
    budget_tokens = 4_000

    def provide(self, context: DynamicContext) -> Section | None:
        """Return the standing instructions in the language of the question."""
        return Section("", render("system", context.turn.language))


class HostsProvider:
    """The hosts of the session."""

    order = 10
    budget_tokens = 3_000

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
