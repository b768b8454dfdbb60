"""What a message tells of how the one before it was taken: a correction, or other words."""

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Final

from walissh.react import intent, service, texts, wording
from walissh.react.followed import Intended, Intent
from walissh.react.host import Host
from walissh.react.intent import reading
from walissh.react.misled import Sign
from walissh.react.turn import Turn, TurnStatus

RIGHT_AFTER: Final = timedelta(minutes=10)
PLAIN: Final = 0.7
"""From here on a correction is one: a near rival, such as what is wanted instead, may be."""
MAX_CHARS: Final = 2_000

_TELLS: Final = frozenset(
    {Intent.DIAGNOSE, Intent.EXECUTE, Intent.QUERY, Intent.CONFIGURE_PREFERENCE}
)
_ANSWERED: Final = frozenset({TurnStatus.DONE, TurnStatus.CANCELLED})
_NOT_WANTED = re.compile(
    r"^(?:而)?(?:不是|不要|并不是|并非|没(?:有)?(?:让|叫|要)|不用|别|无需)"
    r"|\b(?:not|don'?t|do not|didn'?t|did not|never|instead of|rather than|no need)\b"
)
_SAYS_WRONG = re.compile(
    r"^(?:no[, ]*)?(?:(?:that|this|it|you|sorry)\b.{0,12})?"
    r"\b(?:wrong|mistaken|misunderst\w+|misread)\b"
    r"|(?:搞|弄|理解|听|看|会|领会)?错了|误解|误会|弄反"
)
_LEADS_IN = re.compile(
    r"^(?:(?:而)?是(?:想|要|让你)?|我(?:其实|只)?(?:是)?(?:想|要|说|问)(?:的)?(?:是|让你)?"
    r"|我的意思是|意思是|让你|叫你|应该(?:是)?|只(?:是)?(?:想|要)"
    r"|(?:what )?i(?:'m| am)? (?:actually |really |only |just )*"
    r"(?:meant?|wanted|want|asked|asking|said|need)(?: is| was)?(?: you)?"
    r"(?: to(?: know| see| ask| hear)?| for)?"
    r"|i(?:'d| would) like(?: you)?(?: to)?|just|only|rather|actually)[\s:：,，]*"
)
_NAMES = re.compile(r"[\w./:@-]*[\d/@][\w./:@-]*")


def of_next(before: Turn, now: Turn, intended: Intended, hosts: Sequence[Host]) -> Sign | None:
    """Return the sign that *now*, taken as *intended*, gives of the turn before it."""
    if intended.intent is Intent.CORRECT:
        return Sign.CORRECTION if intended.confidence >= PLAIN else None
    return Sign.REWORDED if _is_reworded(before, now, hosts) else None


def meant(text: str, intended: Intended) -> Intent | None:
    """Return the intent that a message tells to be the right one; None if it tells none.

    Of a correction the parts that say what is wanted are taken for themselves; any other
    message is what the one before it should have been taken for.
    """
    if intended.intent is not Intent.CORRECT:
        return intended.intent if intent.is_sure(intended) else None
    found = (intent.decide(each, (), None) for each in _wanted(text))
    return next((one.intent for one in found if one.intent in _TELLS and intent.is_sure(one)), None)


def _wanted(text: str) -> Iterator[str]:
    """Yield the parts of a correction that say what is wanted, without their lead-in."""
    for clause in reading.read(text).clauses:
        if not _NOT_WANTED.search(clause.text) and not _SAYS_WRONG.search(clause.text):
            bare = _LEADS_IN.sub("", clause.text.strip()).strip()
            if bare:
                yield bare


def _is_reworded(before: Turn, now: Turn, hosts: Sequence[Host]) -> bool:
    """Tell whether *now* asks the same again in other words, right after an answer."""
    if before.status not in _ANSWERED or before.asked is not None:
        return False
    ended = before.finished_at or before.created_at
    if now.created_at - ended > RIGHT_AFTER:
        return False
    one, other = before.question[:MAX_CHARS], now.question[:MAX_CHARS]
    return wording.says_again(one, other) and _is_of_same(one, other, hosts)


def _is_of_same(one: str, other: str, hosts: Sequence[Host]) -> bool:
    """Tell whether both are about one thing: of another, the same words ask something else."""
    left, right = service.named(one), service.named(other)
    same = left == right or (
        bool(left and right) and (left.endswith(right) or right.endswith(left))
    )
    return same and _names(one, hosts) == _names(other, hosts)


def _names(text: str, hosts: Sequence[Host]) -> frozenset[str]:
    named = {host.name for host in hosts if texts.names(text, host.name)}
    return frozenset({*named, *_NAMES.findall(text.casefold())})
