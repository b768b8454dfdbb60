"""Compaction by hand, ``/compact [what to keep]``, and free text that a model wrote.

Neither touches what is pinned: that always comes from the person's own words, by rules.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from walissh.react.turn import Message, compaction_asked
from walissh.react.window import fold, glean, names, questions, sentences, wording
from walissh.react.window.summary import NOTED, PINNED, Summary, joined

KEPT_CHARS: Final = 6_000
"""What is kept on request takes at most so much room; of more the best matches stay."""
MAX_TEXT_CHARS: Final = 800
MAX_OUTPUT_LINES: Final = 2_000

LEAST_WRITTEN: Final = 400
MOST_WRITTEN: Final = 8_000

_LEAD = re.compile(
    r"^\s*(?:/compact\b)?\s*(?:please |and |but )*(?:keep|remember|retain|preserve|save"
    r"|don['’]t (?:lose|forget)|保留|留下|留着|记住|别丢|不要丢|保存)?"
    r"(?:\s*(?:about|all|the|everything|关于|所有|住|好))*\s*[:：]?\s*",
    re.I,
)
_NAMED = re.compile(r"“([^”]+)”|\"([^\"]+)\"|「([^」]+)」|`([^`]+)`")
_TITLE = re.compile(r"^\s*(?:\[[^\]\n]{2,40}\]|.*(?:<<<|>>>).*)", re.M)
_FILLER = re.compile(
    r"\b(?:answers?|findings?|results?|outputs?|conclusions?|parts?|details?|info|messages?)\b"
    r"|的?(?:结论|结果|发现|输出|部分|内容|信息|那段|那条|对话|相关)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class _Match:
    points: int
    at: int
    text: str


def compact(
    rounds: Sequence[Sequence[Message]],
    summary: Summary,
    keep: str = "",
    *,
    line_chars: int = glean.LINE_CHARS,
) -> Summary:
    """Return the summary with all these rounds folded in, and what *keep* names kept.

    A text in quotation marks is looked for as it stands, anything else by its words. Kept
    are questions with their answers, and sentences and output lines, word for word, while
    they fit in 6,000 characters.
    """
    folded = fold.extend(summary, fold.unfolded(rounds, summary), line_chars=line_chars)
    found = list(_matches(rounds, keep))
    kept = joined(summary.kept, [each.text for each in _fitting(found)])
    return replace(folded, kept=_newest(kept))


def _matches(rounds: Sequence[Sequence[Message]], keep: str) -> Iterator[_Match]:
    wanted = _LEAD.sub("", keep, count=1).strip()
    phrases = [next(filter(None, found)).lower() for found in _NAMED.findall(wanted)]
    plain = _NAMED.sub(" ", wanted)
    words = names.rare(_FILLER.sub(" ", plain)) or names.rare(plain)
    if not (phrases or words):
        return
    for at, text in enumerate(_texts(rounds)):
        points = _points(text, phrases, words)
        if points:
            yield _Match(points, at, text)


def _points(text: str, phrases: Sequence[str], words: frozenset[str]) -> int:
    lower = text.lower()
    whole = sum(each in lower for each in phrases)
    if phrases:
        return 100 * whole
    shared = len(words & names.rare(text))
    return shared if 2 * shared >= len(words) else 0


def _texts(rounds: Sequence[Sequence[Message]]) -> Iterator[str]:
    """Give what can be kept: short messages whole, of longer ones the sentences and lines."""
    for message in (each for messages in rounds if not _is_order(messages) for each in messages):
        text = message.content.strip()
        if message.role == "tool":
            yield from (x.strip() for x in text.splitlines()[:MAX_OUTPUT_LINES] if _can_stay(x))
        elif 0 < len(text) <= MAX_TEXT_CHARS:
            yield " ".join(text.split())
        else:
            yield from sentences.sentences(text)


def _is_order(messages: Sequence[Message]) -> bool:
    return bool(messages) and compaction_asked(messages[0].content) is not None


def _can_stay(line: str) -> bool:
    if line.startswith("[") and line.endswith("]"):
        return False  # a note of the product's own, such as that a plan is kept
    return bool(line.strip()) and len(line) <= MAX_TEXT_CHARS and not _TITLE.match(line)


def _fitting(found: Sequence[_Match]) -> list[_Match]:
    """Return the best matches that fit, in the order of the talk."""
    room, chosen = KEPT_CHARS, []
    for each in sorted(found, key=lambda match: (-match.points, -match.at)):
        if len(each.text) <= room:
            room -= len(each.text)
            chosen.append(each)
    return sorted(chosen, key=lambda match: match.at)


def _newest(kept: Sequence[str]) -> tuple[str, ...]:
    room, chosen = KEPT_CHARS, []
    for text in reversed(kept):
        room -= len(text)
        if room < 0:
            break
        chosen.append(text)
    return tuple(reversed(chosen))


# --- free text by a model -----------------------------------------------------------------


def accept(written: str, summary: Summary, *, line_chars: int = glean.LINE_CHARS) -> Summary:
    """Return the summary with a model's free text in place of its lines, as far as it is sound.

    Sentences that lay down a goal, a refusal or a rule, ask a question, or name a host or a
    path that the summary does not know are left out: those come from the person alone. At
    most *line_chars* for each folded round. If nothing is left, the summary stays as it is.
    """
    known = _known(summary)
    room = min(max(summary.rounds * line_chars, LEAST_WRITTEN), MOST_WRITTEN)
    sound: list[str] = []
    for sentence in _told(written):
        if len(sentence) + 1 <= room and _is_sound(sentence, summary, known):
            sound.append(sentence)
            room -= len(sentence) + 1
    return replace(summary, written="\n".join(sound), lines=()) if sound else summary


def _told(written: str) -> Iterator[str]:
    clean = _TITLE.sub("", written)
    for line in clean.splitlines():
        yield from sentences.sentences(line)


def _is_sound(sentence: str, summary: Summary, known: str) -> bool:
    pinned = [text for name in PINNED for text in summary.texts(name)]
    if any(sentence in text for text in pinned):
        return True
    seen = wording.unquoted(sentence)
    invented = any(wording.kind(each).says(seen) for each in ("refusal", "rule", "goal"))
    if invented or questions.asks(sentence):
        return False
    return all(each in known for each in _names(sentence))


def _names(sentence: str) -> Iterable[str]:
    return [*names.hosts(sentence), *names.paths_told(sentence)]


def _known(summary: Summary) -> str:
    pinned = [text for name in (*PINNED, "kept") for text in summary.texts(name)]
    notes = [note.text for name in NOTED for note in summary.notes(name)]
    return "\n".join([*pinned, *notes, summary.written])
