"""Tell whether somebody asks: what is asked teaches nothing, with a question mark or without."""

import re

from walissh.memory.extract import phrases, prose
from walissh.memory.extract.prose import Sentence
from walissh.memory.words import is_han

_BEING = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|should|would|will|shall)"
_WHOM = (
    r"(?:the|an?|i|we|you|he|she|it|they|there|this|that|these|those|my|our|your|any\w*|some\w*"
    r"|all|\S*\d\S*|\S+ (?:still|running|up|down|ok|there|here|installed|alive|ready))"
)
_WH = r"(?:what|why|who|whose|where|when|which|how)"
_ENGLISH = re.compile(
    rf"^(?:(?:so|and|but|ok|hey|well|also|please)[, ]+)*(?:"
    rf"{_WH}(?:['’]s| {_BEING}| many| much| long| old| big| often)\b(?!:)"
    rf"|(?:what|which|whose|how) [\w-]+ (?:{_BEING}|runs?|owns?|needs?|uses?|listens?)\b"
    r"|(?:what|who) (?!i\b|we\b|you\b)\w+ (?:the|my|our|it|this|that|all|on|in|at)\b(?!.*:)"
    rf"|(?:{_BEING}|is ?n['’]t|are ?n['’]t|does ?n['’]t|did ?n['’]t) {_WHOM}\b"
    rf"|{_WH}\s*[.!]?$"
    r"|(?:any idea|i wonder|wondering)\b"
    r")",
    re.I,
)
_CHINESE = re.compile(r"(?:了没有?|没有|不|呢|吗|么|多少|几[个台条点])\s*[。.!！]?\s*$")


def asks(text: str) -> bool:
    """Tell whether all that *text* says is asked; a request for what shall hold is no question."""
    told = prose.sentences(text)
    return bool(told) and all(map(_asks, told))


def _asks(sentence: Sentence) -> bool:
    seen = sentence.seen.strip()
    if sentence.asked:
        return True
    if not any(map(is_han, filter(str.strip, seen))):
        return _ENGLISH.match(seen) is not None
    if phrases.found("asks_regardless", seen):
        return False
    return phrases.found("asks", seen) or _CHINESE.search(seen) is not None
