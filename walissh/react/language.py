"""Which language a text is in."""

import re

from walissh.react.turn import Language

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_LATIN = re.compile(r"[A-Za-z]")


def detect(text: str, default: Language) -> Language:
    """Return zh if there is any Han character, en if only Latin ones, else *default*.

    A Chinese question is full of English names, so one character decides.
    """
    if _HAN.search(text):
        return "zh"
    return "en" if _LATIN.search(text) else default
