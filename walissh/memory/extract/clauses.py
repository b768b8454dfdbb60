"""The grammar of standing instructions: which clauses of a sentence make one.

The phrases are in ``preferences.yaml``; here is how they go together.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from walissh.memory.extract import phrases, pref_secrets, weighing
from walissh.memory.extract.prose import Clause, Sentence

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
_SHORT: Final = 60
_GIVEN_UP: Final = "given_up"


def is_no_instruction(sentence: Sentence) -> bool:
    """Tell whether the sentence supposes, reports, asks, or talks of other people."""
    seen = _plain(sentence.seen)
    if any(phrases.found(name, seen) for name in ("nothing", "supposed", "reported", "others")):
        return not phrases.found("told_by_me", seen)
    return _is_question(sentence)


def counting(sentence: Sentence) -> tuple[Clause, ...]:
    """Return the clauses that may instruct, secrets cut out of them.

    One-offs, the past, tags ("好吗", "ok") and questions beside an instruction go.
    """
    kept = [_without_secret(each) for each in _in_force(sentence.clauses)]
    return tuple(each for each in kept if each and each.text)


def _in_force(clauses: Sequence[Clause]) -> Iterator[Clause]:
    """Yield the clauses that are not idle, nor governed by a "just today" before them."""
    passing = False
    for each in clauses:
        if _is_idle(each):
            passing = is_once(each) and not phrases.found("directive", core(each))
        elif not passing or _stands(each) or phrases.found("normally", _plain(each.seen)):
            passing = False
            yield each


def is_once(clause: Clause) -> bool:
    """Tell whether the clause is for this task, or for a while, only."""
    seen = _plain(clause.seen)
    return phrases.found("once", seen) and not phrases.found("once_not", seen)


def only_standing(clause: Clause) -> bool:
    """Tell whether the clause says no more than that what is around it holds for good."""
    return phrases.found("only_standing", _plain(clause.seen))


def opens_list(sentence: Sentence) -> bool:
    """Tell whether the items that follow are rules ("From now on:")."""
    seen = _plain(sentence.seen).rstrip(":： ")
    stands = phrases.found("standing", seen) or phrases.found("list_head", seen)
    return sentence.heads and stands and not is_no_instruction(sentence)


def start(kept: Sequence[Clause], *, opened: bool = False, passing: bool = False) -> int | None:
    """Return where the instruction begins among the clauses *kept*, None if there is none.

    *passing* if the sentence speaks of this time only: what else it says is weighed for less.
    """
    for number, clause in enumerate(kept):
        if (_instructs(clause) and not only_standing(clause)) or (
            _orders(clause) and _stands(clause)
        ):
            earlier = _weighed(kept[:number], passing=passing)
            return number if earlier is None else earlier
    if instead := _instead(kept) or _everywhere(kept):
        return instead
    if not opened and not any(_stands(each) for each in kept):
        return _weighed(kept, passing=passing)
    if any(_is_statement(each) for each in kept if _stands(each) and not only_standing(each)):
        return None
    beside = _beside_standing(kept, opened=opened)
    return _weighed(kept, passing=passing) if beside is None else beside


def _weighed(kept: Sequence[Clause], *, passing: bool) -> int | None:
    """Return where an order stands that its own words, weighed together, make a rule."""
    if passing:
        return None
    lasting = False
    for number, clause in enumerate(kept):
        if _weighs(clause, lasting=lasting) and not _supposes(kept, number):
            return number
        lasting = weighing.comes_again(core(clause)) or _stands(clause) or gives_up(clause)
    return None


def span(kept: Sequence[Clause], at: int) -> tuple[Clause, ...]:
    """Return the instruction from its condition on, to the next task or the end."""
    first = at
    while first and _leads_to(kept[first - 1], kept[first]):
        first -= 1
    if first and _refers_back(kept[first]):
        first -= 2 if first > 1 and phrases.found("former", kept[first - 1].seen) else 1
    if (
        first
        and first == at
        and phrases.found("no_more", kept[at].seen)
        and _orders(kept[first - 1])
    ):
        first -= 1
    chosen = list(kept[first : at + 1])
    for clause in kept[at + 1 :]:
        if phrases.found("task", clause.seen):
            break
        chosen.append(clause)
    bare = [each for each in chosen if not only_standing(each)]
    return tuple(bare)


def _weighs(clause: Clause, *, lasting: bool) -> bool:
    heavy = weighing.stands(core(clause), _plain(clause.seen), lasting=lasting)
    return heavy and not (_is_statement(clause) or only_standing(clause))


def _supposes(kept: Sequence[Clause], at: int) -> bool:
    """Tell whether the clause is an "if" whose consequence follows."""
    return at + 1 < len(kept) and phrases.found("if", _plain(kept[at].seen))


def _leads_to(before: Clause, clause: Clause) -> bool:
    if _is_condition(before) or gives_up(before):
        return True
    return phrases.found("continues", clause.seen) and _orders(before)


def _refers_back(clause: Clause) -> bool:
    return phrases.found("refers_back", clause.seen)


def directives(kept: Sequence[Clause]) -> tuple[Clause, ...]:
    """Return the clauses that tell the agent something to do, with their conditions."""
    at = next((n for n, each in enumerate(kept) if _directs(each)), None)
    return () if at is None else span(kept, at)


def is_habit(clause: Clause) -> bool:
    """Tell whether the clause tells a liking rather than gives an order."""
    return phrases.found("habit", core(clause))


def core(clause: Clause) -> str:
    """Return what is seen of the clause without its lead-ins ("and please, from now on")."""
    return _core(clause.seen)


def _beside_standing(kept: Sequence[Clause], *, opened: bool) -> int | None:
    """Return the order that a clause like "from now on" or "往后都这样" goes with.

    "From now on" speaks of what follows it, if anything does; "往后都这样" of what is before.
    """
    orders = [number for number, each in enumerate(kept) if _orders(each)]
    adverbs = [n for n, each in enumerate(kept) if phrases.found("adverb", _plain(each.seen))]
    after = [n for n in orders if adverbs and n > adverbs[0] and not opened]
    return next(iter(after or orders), _settled(kept, opened=opened))


def _settled(kept: Sequence[Clause], *, opened: bool) -> int | None:
    """Return 0 where bare words are made a rule: "conclusion first, make that your habit"."""
    if not kept or only_standing(kept[0]) or phrases.found("standing", _plain(kept[0].seen)):
        return None
    made = opened or any(only_standing(each) for each in kept[1:])
    stated = phrases.found("stated", kept[0].seen) or _is_statement(kept[0])
    stated = stated and not phrases.found("replaced", kept[0].seen)
    return 0 if made and not stated and len(kept[0].text) <= _SHORT else None


def _instead(kept: Sequence[Clause]) -> int:
    """Return what takes the place of a thing given up ("scrap that, … now"), 0 if nothing."""
    if not kept or not gives_up(kept[0]):
        return 0
    later = [n for n, each in enumerate(kept) if phrases.found("now_instead", each.seen)]
    return next((n for n in later if n and _directs(kept[n])), 0)


def _everywhere(kept: Sequence[Clause]) -> int:
    """Return where a rule for a class of machines or deeds is told, 0 if there is none."""
    for number, (place, rule) in enumerate(itertools.pairwise(kept), 1):
        if phrases.found("everywhere", place.seen) and phrases.found("modal", rule.seen):
            return number if not _is_statement(rule) else 0
    return 0


def _orders(clause: Clause) -> bool:
    return _directs(clause) and not only_standing(clause)


def _instructs(clause: Clause) -> bool:
    texts = {_plain(clause.seen), core(clause)}
    if any(phrases.found("if", text) for text in texts) and not _rules_after_if(texts):
        return False
    if any(
        phrases.found(name, text) for name in ("machine", "wonders", "complaint") for text in texts
    ):
        return False
    return any(phrases.found(name, text) for name in _RULES for text in texts)


def _rules_after_if(texts: set[str]) -> bool:
    return any(phrases.found("always", text) for text in texts)


def _stands(clause: Clause) -> bool:
    """Tell whether the clause says "for good"; in an if it speaks of the future only."""
    seen = _plain(clause.seen)
    if phrases.found("unsaid", seen):
        return True
    if phrases.found("if", seen):
        return False
    return phrases.found("standing", seen) or only_standing(clause)


def _directs(clause: Clause) -> bool:
    seen = core(clause)
    if _stands(clause) and phrases.found("wonders", _plain(clause.seen)):
        return False
    if _is_statement(clause) or phrases.found("if", seen) or phrases.found("task", clause.seen):
        return False
    return any(phrases.found("directive", text) for text in (seen, _plain(clause.seen)))


def _is_statement(clause: Clause) -> bool:
    seen = _plain(clause.seen)
    return any(
        phrases.found(name, seen)
        for name in ("later", "foretold", "symptom", "machine", "complaint")
    )


def _is_condition(clause: Clause) -> bool:
    seen = _plain(clause.seen)
    return any(phrases.found(name, seen) for name in ("condition", "everywhere", "unsaid"))


def gives_up(clause: Clause) -> bool:
    """Tell whether the clause lets go of an earlier rule ("forget …", "… 作废")."""
    return phrases.found(_GIVEN_UP, core(clause))


def _is_idle(clause: Clause) -> bool:
    seen = _plain(clause.seen)
    if phrases.found("tag_only", seen):
        return True
    if is_once(clause) or (phrases.found("past", seen) and not gives_up(clause)):
        return True
    return _asks(seen) and not phrases.found("asks_politely", seen)


def _is_question(sentence: Sentence) -> bool:
    """Tell whether the sentence asks, and asks about what it says rather than for it."""
    seen = phrases.pattern("tag").sub("", _plain(sentence.seen).rstrip("?？!！。. "))
    if phrases.found("asks_politely", _plain(sentence.seen)):
        return False
    asked = [each for each in sentence.clauses if _asks(_plain(each.seen))]
    if not asked:
        return sentence.asked and seen == _plain(sentence.seen).rstrip("?？!！。. ")
    about = any(phrases.found("asks_about_it", _plain(each.seen)) for each in asked)
    return about or len(asked) == len(sentence.clauses)


def _asks(seen: str) -> bool:
    return phrases.found("asks", seen) and not phrases.found("asks_regardless", seen)


def _without_secret(clause: Clause) -> Clause | None:
    rest = pref_secrets.without(clause.text)
    if rest is None or rest == clause.text:
        return clause if rest else None
    return replace(clause, text=rest, seen=clause.seen[: len(rest)])


@lru_cache(maxsize=_REMEMBERED)
def _core(seen: str) -> str:
    plain = _plain(seen)
    for name in ("lead", "topic", "lead"):
        start = phrases.pattern(name).match(plain)
        plain = plain[start.end() :] if start else plain
    return plain


@lru_cache(maxsize=_REMEMBERED)
def _plain(seen: str) -> str:
    """Return the text with a straight apostrophe, and "after an upgrade" (升级以后) blanked."""
    straight = seen.replace("’", "'")
    return phrases.pattern("after_zh").sub(_dots, straight)


def _dots(match: re.Match[str]) -> str:
    return match[0][:-2] + "之后"
