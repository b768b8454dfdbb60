"""What a line of a talk is marked with beside its words: speaker, day, and times told.

Marks lie in the index as terms that begin with "@", which no word does.
"""

import re
from datetime import datetime

from walissh.memory import words

_MONTHS = "january february march april may june july august september october november december"
MONTH_NUMBERS = {
    name[:length]: number
    for number, name in enumerate(_MONTHS.split(), 1)
    for length in (3, len(name))
}
_MONTH = "(" + "|".join(sorted(MONTH_NUMBERS, key=len, reverse=True)) + r")"

_TELLS_WHEN = re.compile(
    r"\b(yesterday|today|tonight|tomorrow|ago|last|next|past|since|recently|weekend|week|month|"
    r"year|years|morning|evening|(mon|tues|wednes|thurs|fri|satur|sun)day|19\d\d|20\d\d|"
    rf"{_MONTH})\b"
    r"|昨|今天|今晚|明天|前天|后天|上周|上个|下周|下个|去年|今年|明年|本周|刚才|刚刚|早上|晚上|"
    r"周[一二三四五六日末天]|星期|\d+\s*[年月日号点]|小时前|天前|月前|年前",
    re.I,
)
_ASKS_WHEN = re.compile(
    r"\bwhen\b|\bwhat (date|day|month|year|time)\b|\bwhich (day|month|year)\b|\bhow long ago\b"
    r"|什么时候|何时|几时|哪天|哪一天|哪年|几月|几号|多久",
    re.I,
)
_TELLS_NUMBER = re.compile(
    r"\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|once|twice)\b"
    r"|[一二两三四五六七八九十百千万]+[个次年天只条台份米元人]",
    re.I,
)
_ASKS_NUMBER = re.compile(
    r"\bhow (many|much|long|old|often)\b|多少|几[个次年天岁台条]|多大|多久", re.I
)

_DAY_MONTH = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH}\b", re.I)
_MONTH_DAY = re.compile(rf"\b{_MONTH}\.? (\d{{1,2}})(?:st|nd|rd|th)?\b", re.I)
_MONTH_ALONE = re.compile(rf"\b{_MONTH}\b", re.I)
_ISO = re.compile(r"\b(20\d\d)[-/.](\d{1,2})[-/.](\d{1,2})\b")
_HAN_DAY = re.compile(r"(\d{1,2})\s*月\s*(\d{1,2})\s*[日号]?")
_HAN_MONTH = re.compile(r"(\d{1,2})\s*月")
_YEAR = re.compile(r"\b(20\d\d)\b|(20\d\d)年")

WHEN = "@when"
NUMBER = "@number"
ASKS = "@asks"
ASKS_WEIGHT = -0.5
DAY_WEIGHT = 3.0
MONTH_WEIGHT = 3.0
YEAR_WEIGHT = 0.3
SPEAKER_WEIGHT = 1.0


def speaker(term: str) -> str:
    """Return the mark of the lines that were spoken by one of this name."""
    return f"@{term}"


def of_line(text: str, by: str, at: datetime | None) -> frozenset[str]:
    """Return the marks of a line that was spoken *by* somebody at an instant."""
    marks = {f"@{name}" for name in words.terms(by)}
    if _TELLS_WHEN.search(text):
        marks.add(WHEN)
    if _TELLS_NUMBER.search(text):
        marks.add(NUMBER)
    if text.rstrip().endswith(("?", "？")):
        marks.add(ASKS)
    if at is not None:
        marks |= {f"@{at:%Y}", f"@{at:%m}", f"@{at:%m-%d}"}
    return frozenset(marks)


def of_question(text: str) -> dict[str, float]:
    """Return the marks that a line should have, each with what it counts."""
    names = (term for term in words.terms(text) if not term[0].isdigit())
    sought = {ASKS: ASKS_WEIGHT} | {speaker(name): SPEAKER_WEIGHT for name in names}
    if _ASKS_WHEN.search(text):
        sought[WHEN] = 1.0
    if _ASKS_NUMBER.search(text):
        sought[NUMBER] = 0.5
    return sought | _dates(text)


def _dates(text: str) -> dict[str, float]:
    days = [(int(day), MONTH_NUMBERS[month.lower()]) for day, month in _DAY_MONTH.findall(text)]
    days += [(int(day), MONTH_NUMBERS[month.lower()]) for month, day in _MONTH_DAY.findall(text)]
    days += [(int(day), int(month)) for month, day in _HAN_DAY.findall(text)]
    days += [(int(day), int(month)) for _, month, day in _ISO.findall(text)]
    months = [MONTH_NUMBERS[month.lower()] for month in _MONTH_ALONE.findall(text)]
    months += [int(month) for month in _HAN_MONTH.findall(text)]
    years = [one or other for one, other in _YEAR.findall(text)]
    return (
        {f"@{year}": YEAR_WEIGHT for year in years}
        | {f"@{month:02d}": MONTH_WEIGHT for month in months}
        | {f"@{month:02d}-{day:02d}": DAY_WEIGHT for day, month in days}
    )
