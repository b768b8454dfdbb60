"""What is asked of the agent: to look for a fault, to tell something, or to do something."""

import re
from typing import Final

from walissh.react.intent.lexicon import found, whole
from walissh.react.intent.reading import Clause, Reading
from walissh.react.intent.situation import Situation

# --- orders --------------------------------------------------------------------------------


def order(read: Reading, _: Situation) -> float:
    """An imperative with a verb that changes something, however politely it is put."""
    strengths = [_ordered(each, read) for each in read.clauses]
    return max(strengths, default=0.0)


def _ordered(clause: Clause, read: Reading) -> float:
    if found("undone", clause.text) or found("reported_act", clause.bare):
        return 0.0
    if not clause.text.isascii():
        return _ordered_zh(clause, read)
    return _ordered_en(clause, read)


def _ordered_en(clause: Clause, read: Reading) -> float:
    if found("act_gerund", clause.bare) and found("polite", clause.text):
        return 0.87
    if found("state_needed", clause.text) and not clause.asked:
        return 0.8
    if found("not_act", clause.bare):
        return 0.0
    if not found("act_first", clause.bare):
        return _made_as_order(clause) if not clause.asked or found("polite", clause.text) else 0.0
    if clause.bare == clause.text and clause.asked and not found("polite", clause.text):
        return 0.4
    if found("trouble", clause.text):
        return 0.84
    return 0.87 if len(read.clauses) == 1 else 0.9


def _ordered_zh(clause: Clause, read: Reading) -> float:
    text, bare = clause.text, clause.bare
    if not (found("act", bare) or found("act_first", bare)):
        return _made_as_order(clause)
    polite = found("polite", text)
    if not polite and (
        found("wh", text) or found("why", text) or clause.asked or found("asks_state", text)
    ):
        return 0.0
    if found("told", text) or found("supposes", text) or (found("knowledge", text) and not polite):
        return 0.0
    troubled = found("trouble", text)
    if found("disposed", bare):
        return 0.9
    if found("act_first", bare):
        return 0.87 if troubled else 0.88 if len(read.clauses) == 1 else 0.9
    if troubled:
        return 0.5
    return 0.88 if found("disposes", bare) else 0.8


def _made_as_order(clause: Clause) -> float:
    """Judge by the make of the clause when its verb is none of the known ones."""
    if any(found(each, clause.text) for each in (*_QUESTIONS, "trouble", "told")):
        return 0.0
    if found("looks_or_tells", clause.bare):
        return 0.0
    if found("made_as_order", clause.bare) or (
        clause.bare != clause.text and found("asks_favour", clause.text)
    ):
        return 0.77
    return 0.0


_QUESTIONS: Final = ("wh", "why", "asks_state")


# --- questions -----------------------------------------------------------------------------


def asks(read: Reading) -> bool:
    """Tell whether anything is asked, with a question mark or without."""
    return read.asked or any(_asking(each) for each in read.clauses)


def _asking(clause: Clause) -> bool:
    return (
        clause.asked
        or found("wh_first", clause.bare)
        or found("asks_state", clause.bare)
        or (not clause.text.isascii() and found("wh", clause.text))
    )


def question(read: Reading, at: Situation) -> float:
    """A question for something to be told: a value, a state, a record, how it is done."""
    if found("supposes", read.text) and asks(read):
        return 0.86
    if found("why", read.text):
        return _asks_general(read)
    if found("knowledge", read.text) and (asks(read) or found("explain", read.text)):
        return 0.86
    if found("recalls", read.text):
        return 0.87
    if not asks(read) and not _told_to_show(read):
        return 0.0
    return _of_state(read)


def _asks_general(read: Reading) -> float:
    """Judge a why: in general, or of a machine that has a fault."""
    if found("recalls", read.text) and not found("why_first", read.bare):
        return 0.84
    if found("general_why", read.text) and not found("here_now", read.text):
        return 0.82
    return 0.5 if not found("trouble", read.text) and not found("what_wrong", read.text) else 0.0


def _of_state(read: Reading) -> float:
    if _reported_first(read):
        return 0.5
    if found("trouble", read.text) and not found("counts", read.text):
        return 0.5 if found("asks_state", read.bare) or not read.asked else 0.62
    if found("wh", read.text) or found("attributes_end", read.bare) or found("counts", read.text):
        return 0.87
    if read.asked or found("asks_state", read.bare):
        return 0.82
    return 0.78


def _reported_first(read: Reading) -> bool:
    """Tell whether a fault is reported before anything is asked: the question is about it."""
    if len(read.clauses) < 2:
        return False
    first = read.clauses[0]
    return found("trouble", first.text) and not _asking(first)


def _told_to_show(read: Reading) -> bool:
    """Tell whether it says "show me" or "look at" something that can be told."""
    last = [each for each in read.clauses if found("show_first", each.bare)]
    return bool(last) and (found("thing", read.text) or found("show_only", last[-1].bare))


_OF: Final = re.compile(r"[a-z0-9][\w.-]* ?的 ?[a-z_][\w.-]*")


def named(read: Reading, _: Situation) -> float:
    """Only the name of a thing that can be told: "kernel version", "内核版本？"."""
    if read.words() > 8 or found("trouble", read.text) or found("act_first", read.bare):
        return 0.0
    if not (found("attributes_end", read.bare.strip("?？ ")) or _OF.fullmatch(read.bare)):
        return 0.0
    return 0.82 if read.asked else 0.76


# --- faults ---------------------------------------------------------------------------------


def asks_why(read: Reading, _: Situation) -> float:
    """Why something here is as it is, or what is wrong with it."""
    if not found("why", read.text):
        return 0.0
    if found("general_why", read.text) and not found("here_now", read.text):
        return 0.5
    if found("recalls", read.text) and not found("why_first", read.bare):
        return 0.5
    return 0.9 if found("trouble", read.text) or found("what_wrong", read.text) else 0.78


def fault(read: Reading, _: Situation) -> float:
    """A fault that is reported, or that is to be looked into."""
    if not found("trouble", read.text) or found("works_again", read.text):
        return 0.0
    if _reported_first(read) and not found("supposes", read.text):
        return 0.86
    if any(found(each, read.text) for each in ("counts", "knowledge", "recalls")):
        return 0.5
    if found("look_into", read.text):
        return 0.88
    if found("supposes", read.text) and asks(read):
        return 0.4
    if read.asked:
        return 0.74
    return 0.86


def look_into(read: Reading, _: Situation) -> float:
    """To look into something, with no fault named: "investigate the latency on gw2"."""
    if found("digs", read.text):
        return 0.8
    if found("gazes", read.bare) and not found("thing", read.text):
        return 0.62
    return 0.0


_REPEATS: Final = re.compile(
    r"^(?:and|那|还有|那么|how about|what about)\b|呢[?？]?$|\b(?:too|as well)\??$"
)
_FEW_WORDS: Final = 9


def is_ellipsis(read: Reading) -> bool:
    """Tell whether the message only makes sense as a repetition of the one before."""
    if read.words() > _FEW_WORDS or found("resume_topic", read.text):
        return False
    return found("same_again", read.text) or _REPEATS.search(read.text) is not None


def is_attribute(read: Reading) -> bool:
    """Tell whether it asks for another attribute: "which port?"."""
    return _WH.match(read.bare) is not None and not whole(("resume",), read.text)


_WH: Final = re.compile(r"(?:and )?(?:what|which|how|where|when|who)\b(?! about)")


def is_personal(read: Reading) -> bool:
    """Tell whether it speaks of the person alone, and of no machine."""
    return _PERSONAL.match(read.text) is not None and not re.search(r"\d", read.text)


_PERSONAL: Final = re.compile(r"(?:i|i'm|my|we|我|咱|俺|今天|今晚|昨晚|昨天|周末)(?![a-z])")
