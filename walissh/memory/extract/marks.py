"""What a clause by itself is: an order, a condition, a question, a wish for now only …

How clauses go together is in ``clauses.py``; the phrases are in ``preferences.yaml``.
"""

import re
from functools import lru_cache
from typing import Final

from walissh.memory.extract import phrases, weighing
from walissh.memory.extract.prose import Clause

_RULES: Final = (
    "always",
    "normally",
    "habit",
    "banned",
    "unneeded",
    "every_time",
    "always_zh",
    "default",
    "rule_made",
    "remembered",
    "withdrawn",
    "revoked",
)
"""Phrases that give a standing instruction by themselves."""
_REMEMBERED: Final = 64
"""Clauses whose bare form is kept: each is asked for about twenty times in a row."""


def is_once(clause: Clause) -> bool:
    """Tell whether the clause is for this task, or for a while, only."""
    seen = plain(clause.seen)
    return phrases.found("once", seen) and not phrases.found("once_not", seen)


def only_standing(clause: Clause) -> bool:
    """Tell whether the clause says no more than that what is around it holds for good."""
    return phrases.found("only_standing", plain(clause.seen))


def is_habit(clause: Clause) -> bool:
    """Tell whether the clause tells a liking rather than gives an order."""
    return phrases.found("habit", core(clause))


def core(clause: Clause) -> str:
    """Return what is seen of the clause without its lead-ins ("and please, from now on")."""
    return _core(clause.seen)


def gives_up(clause: Clause) -> bool:
    """Tell whether the clause lets go of an earlier rule ("forget …", "… 作废")."""
    return phrases.found("given_up", core(clause))


def orders(clause: Clause) -> bool:
    """Tell whether the clause tells the agent to do something, once or for good."""
    return directs(clause) and not only_standing(clause)


def instructs(clause: Clause) -> bool:
    """Tell whether the clause is a standing instruction by its own set phrase."""
    texts = {plain(clause.seen), core(clause)}
    if any(phrases.found("if", text) for text in texts) and not _rules_after_if(texts):
        return False
    if any(
        phrases.found(name, text) for name in ("machine", "wonders", "complaint") for text in texts
    ):
        return False
    return any(phrases.found(name, text) for name in _RULES for text in texts)


def _rules_after_if(texts: set[str]) -> bool:
    return any(phrases.found("always", text) for text in texts)


def stands(clause: Clause) -> bool:
    """Tell whether the clause says "for good"; in an if it speaks of the future only."""
    seen = plain(clause.seen)
    if phrases.found("unsaid", seen):
        return True
    if phrases.found("if", seen):
        return False
    return phrases.found("standing", seen) or only_standing(clause)


def directs(clause: Clause) -> bool:
    """Tell whether the clause is said to the agent as something to do or to leave."""
    seen = core(clause)
    if stands(clause) and phrases.found("wonders", plain(clause.seen)):
        return False
    if is_statement(clause) or phrases.found("if", seen) or phrases.found("task", clause.seen):
        return False
    return any(phrases.found("directive", text) for text in (seen, plain(clause.seen)))


def is_statement(clause: Clause) -> bool:
    """Tell whether the clause says what is or will be, not what shall be."""
    seen = plain(clause.seen)
    return any(
        phrases.found(name, seen)
        for name in ("later", "foretold", "symptom", "machine", "complaint")
    )


def is_condition(clause: Clause) -> bool:
    """Tell whether the clause says where or when the one behind it holds."""
    seen = plain(clause.seen)
    return any(phrases.found(name, seen) for name in ("condition", "everywhere", "unsaid"))


def is_idle(clause: Clause) -> bool:
    """Tell whether the clause counts for nothing: a tag, a question, the past, a one-off."""
    seen = plain(clause.seen)
    if phrases.found("tag_only", seen):
        return True
    if is_once(clause) or (phrases.found("past", seen) and not gives_up(clause)):
        return True
    return asks(seen) and not phrases.found("asks_politely", seen)


def asks(seen: str) -> bool:
    """Tell whether *seen* asks for a piece of knowledge."""
    return phrases.found("asks", seen) and not phrases.found("asks_regardless", seen)


def weighs(clause: Clause, *, lasting: bool) -> bool:
    """Tell whether the words of the clause, weighed together, make a rule of it."""
    heavy = weighing.stands(core(clause), plain(clause.seen), lasting=lasting)
    return heavy and not (is_statement(clause) or only_standing(clause))


@lru_cache(maxsize=_REMEMBERED)
def _core(seen: str) -> str:
    bare = plain(seen)
    for name in ("lead", "topic", "lead"):
        start = phrases.pattern(name).match(bare)
        bare = bare[start.end() :] if start else bare
    return bare


@lru_cache(maxsize=_REMEMBERED)
def plain(seen: str) -> str:
    """Return the text with a straight apostrophe, and "after an upgrade" (升级以后) blanked."""
    straight = seen.replace("’", "'")
    return phrases.pattern("after_zh").sub(_dots, straight)


def _dots(match: re.Match[str]) -> str:
    return match[0][:-2] + "之后"
