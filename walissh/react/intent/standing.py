"""Tell whether a message sets, changes or withdraws what shall hold from now on."""

import re
from typing import Final

from walissh.memory.extract import preferences
from walissh.react.intent.lexicon import found
from walissh.react.intent.reading import Reading
from walissh.react.intent.situation import Situation

_CUE: Final = re.compile(
    r"[a-z]{3}|以后|今后|往后|从|记|默认|总是|每|都|不要|别|禁|习惯|喜欢|规|偏好|下次|之前|一律|只|先|必须|不许|不准|改|长期|永|务必"
)
_MOST_CHARS: Final = 600
_LEAST_CHARS: Final = 6


def rule(read: Reading, at: Situation) -> float:
    """A standing instruction, as the memory of preferences would take one."""
    text = read.raw
    if not _LEAST_CHARS <= len(text) <= _MOST_CHARS or not _CUE.search(read.text):
        return 0.0
    if not preferences.from_user(text):
        return 0.72 if found("lasts", read.text) and not read.asked else 0.0
    return 0.94
