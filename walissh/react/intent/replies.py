"""Answers to what the agent said: a yes, a no, the choice it asked for, "go on"."""

import re
from typing import Final

from walissh.react.intent import requests
from walissh.react.intent.lexicon import found, whole
from walissh.react.intent.reading import Clause, Reading
from walissh.react.intent.situation import Situation

_YES: Final = ("assent", "go", "emoji_yes")
_NO: Final = ("refusal", "emoji_no", "stop")
_BESIDE: Final = ("thanks", "call", "laugh")
_SHORT_WORDS: Final = 12


def yes(read: Reading, at: Situation) -> float:
    """A yes to a question or a plan, alone or with a condition."""
    if at.pending not in ("yes_no", "choice"):
        return 0.0
    if whole(_YES, read.text, beside=_BESIDE) and not found("thanks_only", read.text):
        return 0.95
    first = read.clauses[0] if read.clauses else None
    if first is None or not whole(_YES, first.text, beside=_BESIDE):
        return _led_by_yes(read, at)
    rest = read.clauses[1:]
    if any(each.asked for each in rest) or read.asked:
        return 0.6
    if any(whole(_NO, each.text) for each in rest) or found("not_that", read.text):
        return 0.5
    return 0.9 if at.pending == "yes_no" else 0.7


def _led_by_yes(read: Reading, at: Situation) -> float:
    if at.pending != "yes_no" or read.asked or read.words() > _SHORT_WORDS:
        return 0.0
    if not found("led_by_yes", read.text) or found("not_that", read.text):
        return 0.0
    return 0.5 if _other_value(read, at) else 0.85


def order_asked_for(read: Reading, at: Situation) -> float:
    """The very deed that the agent asked leave for, given as an order."""
    if at.pending != "yes_no" or read.asked or read.words() > _SHORT_WORDS:
        return 0.0
    if requests.order(read, at) == 0.0 or found("calls_off_deed", read.text):
        return 0.0
    same = set(_deeds(read.text)) & set(_deeds(at.last))
    return 0.91 if same and not new_names(read.text, at.last) else 0.0


def _deeds(text: str) -> list[str]:
    return [each.lower() for each in _DEED.findall(text)]


_DEED: Final = re.compile(
    r"重启|删|清|升级|迁|执行|安装|部署|回滚|备份|恢复|扩|切|改|停|关|开|导|跑|加|卸|发布|更新|重载|续|换|杀|格式化|下线|上线|"
    r"\b(?:restart|reboot|reload|delete|remove|upgrade|install|deploy|roll|migrat|apply|run|kill|stop|start|drop|move|"
    r"switch|extend|resiz|clean|truncat|purg|prun|enabl|disabl|add|creat|restor|back|export|import|scal|drain|rotat|"
    r"renew|promot|failover|updat|set|chang|raise|lower|increas|rebuild|reset|flush|format|expand|copy|sync)",
    re.I,
)
_NAME: Final = re.compile(r"(?<![\w.])[a-z][a-z-]*-?\d+(?![\w.]*\d)", re.I)


def new_names(text: str, last: str) -> bool:
    """Tell whether *text* names a machine that *last* does not."""
    return bool({*_NAME.findall(text)} - {*_NAME.findall(last)})


def no(read: Reading, at: Situation) -> float:
    """A no, a stop, or the wish to leave it, with nothing else asked for."""
    if whole(_NO, read.text, beside=_BESIDE) or whole(_NO, read.bare):
        return 0.95 if at.pending or at.task or at.follows else 0.78
    if _wants_more(read, at) or found("keeps_on", read.text):
        return 0.0
    if any(whole(_NO, each.text, beside=_BESIDE) for each in read.clauses):
        return 0.86 if at.pending or at.task else 0.72
    return 0.0


def calls_off(read: Reading, at: Situation) -> float:
    """Giving up what is under way: it is named, left for later, or done by others."""
    if _wants_more(read, at) or (read.asked and not found("calls_off_deed", read.text)):
        return 0.0
    if not (at.follows or at.task):
        return 0.7 if found("calls_off_deed", read.text) or found("called_off", read.bare) else 0.0
    if found("keeps_on", read.text):
        return 0.0
    off = found("called_off", read.text)
    if off or ((at.pending or at.task) and found("calls_off_deed", read.text)):
        known = at.task or at.pending or _touches(read, at)
        return 0.9 if known else 0.8
    return 0.0


def _touches(read: Reading, at: Situation) -> bool:
    said = f"{at.goal} {at.last}"
    return bool(set(_deeds(read.text)) & set(_deeds(said))) or shares_topic(read.text, said)


def _wants_more(read: Reading, at: Situation) -> bool:
    """Tell whether, beside the no, something else is reported, ordered or put right."""
    last = read.clauses[-1] if read.clauses else None
    if last is None:
        return False
    if len(read.clauses) > 1 and found("resume_topic", last.text) and not _ends_it(read):
        return True
    if found("trouble", last.text) and not whole(_NO, last.text) and len(read.clauses) > 1:
        return not found("called_off", last.text)
    return _corrected(read, at) >= 0.85


# --- going on ---------------------------------------------------------------------------------


def resumes(read: Reading, at: Situation) -> float:
    """ "Go on", alone or with the topic that is taken up again."""
    if whole(("resume",), read.text, beside=_BESIDE) or whole(("resume",), read.bare):
        return 0.93 if at.task else 0.8 if at.follows else 0.72
    last = read.clauses[-1].text if read.clauses else ""
    if whole(("resume",), last, beside=("call",)) and not _ends_it(read):
        return 0.92 if at.task else 0.8
    if read.asked and not found("where_were_we", read.text):
        return 0.0
    if found("resume_topic", read.text) and not _ends_it(read):
        return _taken_up(read, at)
    if any(whole(("resume",), each.text, beside=("call",)) for each in read.clauses):
        return 0.86 if at.task or at.follows else 0.6
    return 0.0


def _taken_up(read: Reading, at: Situation) -> float:
    if at.task is None:
        return 0.74 if at.follows else 0.5
    return 0.92 if shares_topic(read.text, at.goal) else 0.86


def _ends_it(read: Reading) -> bool:
    last = read.clauses[-1].text if read.clauses else read.text
    return found("called_off", last) or found("stop_going", read.text)


def nod(read: Reading, at: Situation) -> float:
    """A yes when nothing was asked, but a next step stands: it goes on."""
    if at.pending or at.task is None or not whole(_YES, read.text, beside=_BESIDE):
        return 0.0
    return 0.0 if found("thanks", read.text) else 0.72


def go(read: Reading, at: Situation) -> float:
    """ "Do that" when the agent only told what would help: an order, for nothing was asked."""
    if at.pending or at.task or not at.follows or not whole(("go",), read.text, beside=_BESIDE):
        return 0.0
    return 0.8 if found("suggests", at.last) else 0.6


def answers(read: Reading, at: Situation) -> float:
    """The value or the choice that the agent asked for."""
    if at.pending not in ("choice", "value") or read.words() > 2 * _SHORT_WORDS:
        return 0.0
    if read.asked or found("asks_state", read.bare) or requests.asks(read):
        return 0.0
    if whole(_NO, read.text) or found("called_off", read.text):
        return 0.0
    if requests.order(read, at) > 0 and new_names(read.text, at.last):
        return 0.55
    if found("picks", read.text) or read.words() <= _SHORT_WORDS:
        return 0.9
    return 0.78


def obstacle_gone(read: Reading, at: Situation) -> float:
    """What the work waited for is there now."""
    if read.asked or not (at.task or found("waits", at.last)):
        return 0.0
    if not found("unblocked", read.text) or found("trouble", read.text):
        return 0.0
    return 0.88 if found("waits", at.last) else 0.72


# --- putting right -----------------------------------------------------------------------------


def corrects(read: Reading, at: Situation) -> float:
    """The agent took the wrong thing, or believes what is not so."""
    return _corrected(read, at)


def _corrected(read: Reading, at: Situation) -> float:
    if not at.follows:
        return 0.66 if found("corrects_firmly", read.text) else 0.0
    if read.asked and not found("corrects_firmly", read.text):
        return 0.0
    if found("corrects_firmly", read.text):
        return 0.94
    if found("contrast", read.text) and not found("not_now", read.text):
        return 0.94
    ways = (_no_but, _other_thing, _other_value, _told_otherwise)
    return max(way(read, at) for way in ways)


def _no_but(read: Reading, at: Situation) -> float:
    """ "No, db2": a no and then a name, a value or the thing that is meant."""
    if len(read.clauses) < 2 or not whole(("denial",), read.clauses[0].text):
        return 0.0
    rest = read.clauses[1:]
    if any(whole(_NO, each.text) or found("gives_up", each.text) for each in rest):
        return 0.0
    return 0.88 if _names_thing(rest[0]) else 0.55


def _names_thing(clause: Clause) -> bool:
    return len(clause.text.split()) <= 7 and len(clause.text) < 40


def _other_thing(read: Reading, at: Situation) -> float:
    """A bare name in place of the one that the agent used, or "the other one" called out."""
    if at.pending in ("choice", "value"):
        return 0.0
    bare = _NAME.fullmatch(read.bare.strip("!！ "))
    if bare and new_names(read.text, at.last) and _NAME.search(at.last):
        return 0.8 if "!" in read.text or "！" in read.text else 0.62
    return 0.0


_VALUE: Final = re.compile(r"(\d[\d.]*)\s*([a-z%]+|[\u4e00-\u9fff])?")


def _other_value(read: Reading, at: Situation) -> float:
    """Another number of the same kind than the agent named: "是 90 天前的"."""
    if at.pending in ("choice", "value") or read.asked or read.words() > _SHORT_WORDS:
        return 0.0
    here, there = _VALUE.findall(read.text), _VALUE.findall(at.last)
    units = {unit for _, unit in there}
    new = [value for value, unit in here if unit in units and (value, unit) not in there]
    if not new or requests.order(read, at) > 0:
        return 0.0
    return 0.87 if len(here) == len(new) and found("states", read.text) else 0.55


def _told_otherwise(read: Reading, at: Situation) -> float:
    if found("corrects", read.text):
        return 0.82
    return 0.78 if found("in_fact", read.text) and shares_topic(read.text, at.last) else 0.0


_TOPIC_WORD: Final = re.compile(r"[a-z][a-z0-9.-]{2,}|[\u4e00-\u9fff]{2}")
_COMMON: Final = frozenset(
    (
        *("the", "and", "for", "that", "this", "with", "from", "back", "not", "you", "are"),
        *("was", "have", "has", "had", "now", "about", "into", "over", "than"),
        *("继续", "刚才", "之前", "那个", "这个", "一下", "上次", "下一", "一步"),
    )
)


def shares_topic(text: str, other: str) -> bool:
    """Tell whether the two share a word of weight, or two neighbouring Chinese characters."""
    words = {each for at in (0, 1) for each in _TOPIC_WORD.findall(text, at)} - _COMMON
    return any(each in other for each in words)
