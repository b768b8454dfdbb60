"""What pages say of memory: kinds, states, sources, changes, and why one lost to another."""

from functools import lru_cache

from flask import Flask
from flask_babel import format_date, gettext

from walissh.memory import sources, synonyms
from walissh.memory.entry import (
    Channel,
    Memory,
    MemoryState,
    MemoryType,
    Op,
    Origin,
    Route,
    Routing,
)
from walissh.react.turn import Language
from walissh.store.memory_events import Event
from walissh.web import i18n

GUESSED = frozenset({Origin.USER_HEDGED, Origin.ASSISTANT_HEDGED, Origin.BEHAVIOUR})


def install(app: Flask) -> None:
    """Give the templates of *app* these words."""
    app.jinja_env.globals.update(
        memory_kinds=list(MemoryType),
        kind_word=kind_word,
        kinds_word=kinds_word,
        memory_state_word=state_word,
        origin_word=origin_word,
        channel_word=channel_word,
        change_word=change_word,
        route_word=route_word,
        route_steps=route_steps,
        milestone_word=milestone_word,
        topic_word=topic_word,
        wish_word=wish_word,
        scope_word=scope_word,
        why_lost=why_lost,
    )
    app.jinja_env.filters["reason"] = reason_word
    app.jinja_env.filters["date"] = lambda at: str(format_date(at, "yyyy-MM-dd")) if at else ""


def kind_word(kind: MemoryType) -> str:
    """Return what kind of memory one is."""
    return {
        MemoryType.USER_PREFERENCE: gettext("preference"),
        MemoryType.ENVIRONMENT_FACT: gettext("fact of a host"),
        MemoryType.SOFTWARE_FACT: gettext("software"),
        MemoryType.TROUBLESHOOTING_CASE: gettext("incident"),
    }[kind]


def wish_word(kind: MemoryType) -> str:
    """Return what a person calls a thing of that kind that they want remembered."""
    return {
        MemoryType.USER_PREFERENCE: gettext("a wish"),
        MemoryType.ENVIRONMENT_FACT: gettext("a fact of a host"),
        MemoryType.SOFTWARE_FACT: gettext("software of a host"),
        MemoryType.TROUBLESHOOTING_CASE: gettext("an incident"),
    }[kind]


def topic_word(subject: str) -> str:
    """Return what a memory is about, a common subject in the page's language."""
    return sources.topic(subject, _language())


def reason_word(reason: str) -> str:
    """Return why a memory was found; a word of the field in the page's language."""
    return _in_language(reason, _language())


@lru_cache(maxsize=2048)
def _in_language(reason: str, language: Language) -> str:
    for concept in synonyms.standard().concepts(reason):
        if reason in (synonyms.title(concept.name, "zh"), synonyms.title(concept.name, "en")):
            return synonyms.title(concept.name, language)
    return reason


def _language() -> Language:
    return "zh" if i18n.page_lang() == "zh-CN" else "en"


def kinds_word(kind: MemoryType) -> str:
    """Return the heading over many of a kind."""
    return {
        MemoryType.USER_PREFERENCE: gettext("Preferences"),
        MemoryType.ENVIRONMENT_FACT: gettext("Facts of hosts"),
        MemoryType.SOFTWARE_FACT: gettext("Software"),
        MemoryType.TROUBLESHOOTING_CASE: gettext("Incidents"),
    }[kind]


def state_word(state: MemoryState) -> str:
    """Return whether it counts, and if not, why."""
    return {
        MemoryState.VALID: gettext("valid"),
        MemoryState.STALE: gettext("stale: re-check"),
        MemoryState.SUPERSEDED: gettext("superseded"),
        MemoryState.WITHDRAWN: gettext("withdrawn"),
        MemoryState.EXPIRED: gettext("expired"),
        MemoryState.WRONG: gettext("marked wrong"),
    }[state]


def origin_word(origin: Origin) -> str:
    """Return who says so."""
    return {
        Origin.USER: gettext("you said so"),
        Origin.USER_HEDGED: gettext("you said so, not for sure"),
        Origin.TOOL: gettext("measured by a command"),
        Origin.ASSISTANT: gettext("concluded by WaLiSSH"),
        Origin.ASSISTANT_HEDGED: gettext("supposed by WaLiSSH"),
        Origin.DOCUMENT: gettext("read in a document"),
        Origin.INVENTORY: gettext("from the list of hosts"),
        Origin.BEHAVIOUR: gettext("seen in what you decided"),
    }[origin]


def channel_word(channel: Channel | str) -> str:
    """Return through what it came."""
    return {
        "web": gettext("this page"),
        "api": gettext("the API"),
        "agent": gettext("a talk"),
    }.get(channel, channel)


def change_word(change: Event) -> str:
    """Return what was changed."""
    if change.payload.get("verdict") == "helped":
        return str(gettext("used in an answer"))
    refined = {
        "reworded": gettext("was said more plainly"),
        "merged": gettext("two became one"),
        "doubted": gettext("was left in doubt"),
    }.get(str(change.payload.get("outcome")))
    if refined is not None:
        return str(refined)
    words = {
        "profile_update": gettext("core memory was changed"),
        "preference_set": gettext("a preference was set"),
        "preference_noted": gettext("a preference was said again"),
        "feedback_given": gettext("marked wrong"),
        "document_access": gettext("a document was read"),
        "fact_observed": gettext("a fact was observed"),
        "case_closed": gettext("an incident was closed"),
        "memory_deleted": gettext("deleted"),
        "memory_restored": gettext("restored"),
        "memory_shared": gettext("sharing was changed"),
    }
    return str(words[change.kind])


def route_word(route: Route) -> str:
    """Return which memory a question was given."""
    return {
        Route.NONE: gettext("needs no memory"),
        Route.WORKING_ONLY: gettext("this task only"),
        Route.LONG_TERM_ONLY: gettext("what was learned before"),
        Route.BOTH: gettext("this task and what was learned before"),
    }[route]


def route_steps(routing: Routing) -> list[str]:
    """Return the questions that led to a route, each with its answer.

    Those of a person's own tree are shown as they wrote them.
    """
    asked = {
        "names a host": gettext("names a host"),
        "a general idea": gettext("asks for a general idea"),
        "answers yes or no": gettext("answers yes or no"),
        "chit-chat": gettext("chit-chat"),
        "small talk": gettext("small talk"),
        "names nothing": gettext("leaves out what is meant"),
        "open task": gettext("a task is open"),
        "a document": gettext("asks for a document"),
        "personal words": gettext("personal words"),
        "points back": gettext("points back"),
        "how it is done": gettext("asks how it is done"),
        "in a talk": gettext("in the middle of a talk"),
        "only goes on": gettext("only goes on"),
    }
    said = {"yes": gettext("yes"), "no": gettext("no")}
    steps = (each.rpartition(": ") for each in routing.path)
    return [f"{asked.get(name, name)}{gettext(': ')}{said.get(end, end)}" for name, _, end in steps]


def milestone_word(kind: str) -> str:
    """Return what kind of mark stands on the timeline."""
    return {
        "goal_set": gettext("goal set"),
        "cause_found": gettext("cause found"),
        "fix_applied": gettext("fix applied"),
        "verified": gettext("verified"),
        "blocked": gettext("blocked"),
        "handed_over": gettext("handed over"),
        "preference_learned": gettext("preference learned"),
    }.get(kind, kind.replace("_", " "))


def scope_word(scope: str) -> str:
    """Return where a memory holds."""
    kind, _, names = scope.partition(":")
    if not names:
        return str(gettext("everywhere"))
    listed = ", ".join(name.strip() for name in names.split(","))
    told = {
        "host": lambda: gettext("on %(names)s", names=listed),
        "group": lambda: gettext("in the group %(names)s", names=listed),
        "all-except": lambda: gettext("everywhere except on %(names)s", names=listed),
        "task": lambda: gettext("in one task only"),
    }.get(kind)
    return str(told()) if told else scope


def why_lost(loser: Memory, winner: Memory | None) -> str:
    """Return why *loser* does not count; *winner* is what counts instead, None if nothing."""
    if loser.state is MemoryState.WRONG:
        return str(gettext("You marked it as wrong."))
    if loser.state is MemoryState.EXPIRED:
        return str(gettext("Its time is over."))
    if loser.state is MemoryState.WITHDRAWN or (winner and winner.op is Op.REMOVE):
        return str(gettext("It was withdrawn."))
    if winner is None:
        return str(gettext("What replaced it is gone."))
    if loser.source.origin in GUESSED and winner.source.origin not in GUESSED:
        return str(gettext("The other one was said or measured for sure, this one was not."))
    if winner.at > loser.at:
        return str(gettext("The other one is newer."))
    return str(gettext("The other one is more certain."))
