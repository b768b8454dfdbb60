"""The grammar of standing instructions: which clauses of a sentence make one.

The phrases are in ``preferences.yaml``; here is how they go together.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from walissh.memory.extract import marks, phrases, pref_secrets, weighing
from walissh.memory.extract.prose import Clause, Sentence

_SHORT: Final = 60


def is_no_instruction(sentence: Sentence) -> bool:
    """Tell whether the sentence supposes, reports, asks, or talks of other people."""
    seen = marks.plain(sentence.seen)
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
        if marks.is_idle(each):
            passing = marks.is_once(each) and not phrases.found("directive", marks.core(each))
        elif not passing or marks.stands(each) or phrases.found("normally", marks.plain(each.seen)):
            passing = False
            yield each


def opens_list(sentence: Sentence) -> bool:
    """Tell whether the items that follow are rules ("From now on:")."""
    seen = marks.plain(sentence.seen).rstrip(":： ")
    stands = phrases.found("standing", seen) or phrases.found("list_head", seen)
    return sentence.heads and stands and not is_no_instruction(sentence)


def start(kept: Sequence[Clause], *, opened: bool = False, passing: bool = False) -> int | None:
    """Return where the instruction begins among the clauses *kept*, None if there is none.

    *passing* if the sentence speaks of this time only: what else it says is weighed for less.
    """
    for number, clause in enumerate(kept):
        if (marks.instructs(clause) and not marks.only_standing(clause)) or (
            marks.orders(clause) and marks.stands(clause)
        ):
            earlier = _weighed(kept[:number], passing=passing)
            return number if earlier is None else earlier
    if instead := _instead(kept) or _everywhere(kept):
        return instead
    if not opened and not any(marks.stands(each) for each in kept):
        return _weighed(kept, passing=passing)
    if any(
        marks.is_statement(each)
        for each in kept
        if marks.stands(each) and not marks.only_standing(each)
    ):
        return None
    beside = _beside_standing(kept, opened=opened)
    return _weighed(kept, passing=passing) if beside is None else beside


def _weighed(kept: Sequence[Clause], *, passing: bool) -> int | None:
    """Return where an order stands that its own words, weighed together, make a rule."""
    if passing:
        return None
    lasting = False
    for number, clause in enumerate(kept):
        if marks.weighs(clause, lasting=lasting) and not _supposes(kept, number):
            return number
        lasting = (
            weighing.comes_again(marks.core(clause))
            or marks.stands(clause)
            or marks.gives_up(clause)
        )
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
        and marks.orders(kept[first - 1])
    ):
        first -= 1
    chosen = list(kept[first : at + 1])
    for clause in kept[at + 1 :]:
        if phrases.found("task", clause.seen):
            break
        chosen.append(clause)
    bare = [each for each in chosen if not marks.only_standing(each)]
    return tuple(bare)


def _supposes(kept: Sequence[Clause], at: int) -> bool:
    """Tell whether the clause is an "if" whose consequence follows."""
    return at + 1 < len(kept) and phrases.found("if", marks.plain(kept[at].seen))


def _leads_to(before: Clause, clause: Clause) -> bool:
    if marks.is_condition(before) or marks.gives_up(before):
        return True
    return phrases.found("continues", clause.seen) and marks.orders(before)


def _refers_back(clause: Clause) -> bool:
    return phrases.found("refers_back", clause.seen)


def directives(kept: Sequence[Clause]) -> tuple[Clause, ...]:
    """Return the clauses that tell the agent something to do, with their conditions."""
    at = next((n for n, each in enumerate(kept) if marks.directs(each)), None)
    return () if at is None else span(kept, at)


def _beside_standing(kept: Sequence[Clause], *, opened: bool) -> int | None:
    """Return the order that a clause like "from now on" or "往后都这样" goes with.

    "From now on" speaks of what follows it, if anything does; "往后都这样" of what is before.
    """
    orders = [number for number, each in enumerate(kept) if marks.orders(each)]
    adverbs = [n for n, each in enumerate(kept) if phrases.found("adverb", marks.plain(each.seen))]
    after = [n for n in orders if adverbs and n > adverbs[0] and not opened]
    return next(iter(after or orders), _settled(kept, opened=opened))


def _settled(kept: Sequence[Clause], *, opened: bool) -> int | None:
    """Return 0 where bare words are made a rule: "conclusion first, make that your habit"."""
    if (
        not kept
        or marks.only_standing(kept[0])
        or phrases.found("standing", marks.plain(kept[0].seen))
    ):
        return None
    made = opened or any(marks.only_standing(each) for each in kept[1:])
    stated = phrases.found("stated", kept[0].seen) or marks.is_statement(kept[0])
    stated = stated and not phrases.found("replaced", kept[0].seen)
    return 0 if made and not stated and len(kept[0].text) <= _SHORT else None


def _instead(kept: Sequence[Clause]) -> int:
    """Return what takes the place of a thing given up ("scrap that, … now"), 0 if nothing."""
    if not kept or not marks.gives_up(kept[0]):
        return 0
    later = [n for n, each in enumerate(kept) if phrases.found("now_instead", each.seen)]
    return next((n for n in later if n and marks.directs(kept[n])), 0)


def _everywhere(kept: Sequence[Clause]) -> int:
    """Return where a rule for a class of machines or deeds is told, 0 if there is none."""
    for number, (place, rule) in enumerate(itertools.pairwise(kept), 1):
        if phrases.found("everywhere", place.seen) and phrases.found("modal", rule.seen):
            return number if not marks.is_statement(rule) else 0
    return 0


def _is_question(sentence: Sentence) -> bool:
    """Tell whether the sentence asks, and asks about what it says rather than for it."""
    seen = phrases.pattern("tag").sub("", marks.plain(sentence.seen).rstrip("?？!！。. "))
    if phrases.found("asks_politely", marks.plain(sentence.seen)):
        return False
    asked = [each for each in sentence.clauses if marks.asks(marks.plain(each.seen))]
    if not asked:
        return sentence.asked and seen == marks.plain(sentence.seen).rstrip("?？!！。. ")
    about = any(phrases.found("asks_about_it", marks.plain(each.seen)) for each in asked)
    return about or len(asked) == len(sentence.clauses)


def _without_secret(clause: Clause) -> Clause | None:
    rest = pref_secrets.without(clause.text)
    if rest is None or rest == clause.text:
        return clause if rest else None
    return replace(clause, text=rest, seen=clause.seen[: len(rest)])
