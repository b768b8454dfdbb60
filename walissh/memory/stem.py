"""English words without their endings: Porter's algorithm of 1980.

"restarting", "restarts" and "restarted" become one term. Words with a digit or a letter
outside a-z are left alone, for a name or a number has no ending.
"""

import re
from functools import cache, lru_cache

# a word's shape in vowels (v) and consonants (c); y is a vowel after a consonant
_VOWELS = frozenset("aeiou")

_STEP_2 = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("abli", "able"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
)
_STEP_3 = (
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
)
_STEP_4 = (
    *(("al", ""), ("ance", ""), ("ence", ""), ("er", ""), ("ic", ""), ("able", ""), ("ible", "")),
    *(("ant", ""), ("ement", ""), ("ment", ""), ("ent", ""), ("sion", ""), ("tion", "")),
    *(("ou", ""), ("ism", ""), ("ate", ""), ("iti", ""), ("ous", ""), ("ive", ""), ("ize", "")),
)
# what Porter's rules miss, and people say often
_IRREGULAR = {
    "ran": "run",
    "began": "begin",
    "broke": "break",
    "broken": "break",
    "froze": "freez",
    "frozen": "freez",
    "hung": "hang",
    "wrote": "write",
    "written": "write",
    "children": "child",
    "women": "woman",
    "men": "man",
    "bought": "bui",
    "taught": "teach",
    "thought": "think",
    "told": "tell",
    "went": "go",
    "gone": "go",
    "gave": "give",
    "given": "give",
    "took": "take",
    "taken": "take",
    "made": "make",
    "met": "meet",
    "won": "win",
    "lost": "lose",
    "felt": "feel",
    "found": "find",
    "kept": "keep",
    "left": "leav",
    "slept": "sleep",
    "chose": "choos",
    "chosen": "choos",
    "drew": "draw",
    "grew": "grow",
    "knew": "know",
    "saw": "see",
    "seen": "see",
    "spoke": "speak",
    "stuck": "stick",
    "sent": "send",
    "built": "build",
    "spent": "spend",
    "indices": "index",
    "indexes": "index",
}


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return *word* (lower case) without its English ending."""
    if len(word) <= 2 or not (word.isascii() and word.isalpha()):
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    for step in (_plural, _past, _final_y, _double_endings, _ful_ness, _long_endings, _final_e):
        word = step(word)
    return word


@cache
def _irregular_of() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for word, root in _IRREGULAR.items():
        found[root] = (*found.get(root, ()), word)
    return found


def irregular_of(root: str) -> tuple[str, ...]:
    """Return the words whose stem is *root* though the rules miss them."""
    return _irregular_of().get(root, ())


def _shape(stump: str) -> str:
    shape = ""
    for letter in stump:
        vowel = letter in _VOWELS or (letter == "y" and shape[-1:] == "c")
        shape += "v" if vowel else "c"
    return shape


def _measure(stump: str) -> int:
    return len(re.findall(r"v+c+", _shape(stump)))


def _short_end(stump: str) -> bool:
    return _shape(stump).endswith("cvc") and stump[-1] not in "wxy"


def _double_end(stump: str) -> bool:
    return len(stump) > 1 and stump[-1] == stump[-2] and _shape(stump).endswith("cc")


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        stump = word.removesuffix(ending)
        if stump != word:
            return _mended(stump) if "v" in _shape(stump) else word
    return word


def _mended(stump: str) -> str:
    if stump.endswith(("at", "bl", "iz")):
        return stump + "e"
    if _double_end(stump) and stump[-1] not in "lsz":
        return stump[:-1]
    if _measure(stump) == 1 and _short_end(stump):
        return stump + "e"
    return stump


def _final_y(word: str) -> str:
    return word[:-1] + "i" if word.endswith("y") and "v" in _shape(word[:-1]) else word


def _replaced(word: str, endings: tuple[tuple[str, str], ...], least: int) -> str:
    fitting = [each for each in endings if word.endswith(each[0])]
    if not fitting:
        return word
    ending, instead = max(fitting, key=lambda each: len(each[0]))
    stump = word[: -len(ending)]
    if ending in ("sion", "tion"):
        stump += ending[0]
    return stump + instead if _measure(stump) > least else word


def _double_endings(word: str) -> str:
    return _replaced(word, _STEP_2, 0)


def _ful_ness(word: str) -> str:
    return _replaced(word, _STEP_3, 0)


def _long_endings(word: str) -> str:
    return _replaced(word, _STEP_4, 1)


def _final_e(word: str) -> str:
    if word.endswith("e"):
        stump = word[:-1]
        if _measure(stump) > 1 or (_measure(stump) == 1 and not _short_end(stump)):
            word = stump
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word
