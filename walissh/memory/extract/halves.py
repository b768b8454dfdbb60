"""Take a sentence about a cause into its two halves: what was seen, and what was behind it."""

import re
from collections.abc import Iterator, Sequence

AROUND = " \t,，、:：;；。—–"
_BEFORE_SYMPTOM = re.compile(
    r"^(?:of|for|behind|why|with|that)\s+|^(?:经?(?:排查|核实|检查|确认)(?:后)?[，,]?)?(?:这次"
    r"|本次|此次)?(?:发现|确认)?"
    r"|^(?:first|initially|then|so|and|but)[, ]+",
    re.I,
)

_AFTER_SYMPTOM = re.compile(
    r"(?:,? (?:is|are|was|were|has|had|been|but|and))+$|(?:就|都|主要|确实)$"
    r"|[，,](?:经?排查后?|检查后?|最终|最后|一查|查了一下)$",
    re.I,
)
_BEFORE_CAUSE = re.compile(r"^(?:了?[，,：:]\s*)?(?:就是|是)")


def of(patterns: Sequence[re.Pattern[str]], text: str) -> Iterator[tuple[str, str]]:
    """Yield what was seen and its cause for each of *patterns* that *text* begins with."""
    for pattern in patterns:
        match = pattern.match(text)
        if match is not None:
            said = match.groupdict()
            more = said.get("m") or ""
            cause = said.get("c") or said.get("c2") or ""
            symptom = said.get("s") or said.get("s2") or ""
            cause = (cause.strip(AROUND) + more).strip(AROUND)
            yield trimmed(symptom), _BEFORE_CAUSE.sub("", cause)


def trimmed(symptom: str) -> str:
    """Return *symptom* without what joins it to its cause."""
    symptom = _BEFORE_SYMPTOM.sub("", symptom.strip(AROUND))
    return _AFTER_SYMPTOM.sub("", symptom).strip(AROUND)
