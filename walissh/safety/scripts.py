"""Programs inside an argument (awk, sed) of which we are sure that they only read.

Everything that could write, run a command or read another file is refused, and so is
whatever would need a real parser to be sure.
"""

import re

MAX_PROGRAM = 2000

_AWK_TOKEN = re.compile(
    r"""
    "(?:\\.|[^"\\\n])*"                                     # a string
    | (?:(?<=^)|(?<=[{(,;!~&|\n]))\ *             # where no division can stand:
      /(?:\\.|\[(?:\\.|\[:\w+:\]|[^\]\\\n\[])+\]|[^/\\\n\[])+/   # a regular expression
    """,
    re.X,
)
_AWK_REFUSED = re.compile(
    r"\b(?:system|getline|close|fflush|ENVIRON|ARGV|ARGC|PROCINFO|SYMTAB|FUNCTAB|eval)\b"
    r"|@|#|\\|(?<!\|)\|(?!\|)|\|&|>>|\bprintf?\b[^;}\n]*>"
)
# a slash that is left over must be a division: else it begins a regular expression, and all
# that was taken for strings behind it may be code
_AWK_NO_DIVISION = re.compile(
    r"(?:^|[^\w$)\]\s]|\b(?:printf?|return|in|case|else|do|exit|delete|next)\b)\s*/"
    r"|\b(?:if|while|for)\b[^\n]*\)\s*/"
)

_AWK_ENDLESS = re.compile(r"\bwhile\s*\(\s*[1-9!]+\s*\)|\bfor\s*\([^;)]*;\s*(?:[1-9]\s*)?;")


def awk_only_reads(program: str) -> bool:
    """Tell whether *program* surely neither writes, runs commands nor reads other files."""
    if "[]" in program or "[^]" in program or "\0" in program:
        return False
    rest = _AWK_TOKEN.sub(" X ", program.strip())
    if '"' in rest or _AWK_ENDLESS.search(rest):
        return False
    return not _AWK_REFUSED.search(rest) and not _AWK_NO_DIVISION.search(rest)


_ADDRESS = r"(?:\d+|\$|/(?:\\.|[^/\\\n\[])+/I?)"
_RANGE = rf"(?:{_ADDRESS}(?:,(?:{_ADDRESS}|[+~]\d+)|~\d+)?)?!?"
# a bracket must close before the separator: busybox takes s/[/]/x/ otherwise than GNU
_SUBSTITUTE = "|".join(
    rf"s{sep}(?:\\.|\[\^?(?:\[:\w+:\]|[^\[\]{sep}\\\n])+\]|[^{sep}\[\\\n])*{sep}(?:\\.|[^{sep}\\\n])*{sep}[gpIi0-9]*"
    for sep in map(re.escape, "/|,#@:")
)
_SED_COMMAND = rf"{_RANGE}\s*(?:[pdq=lnNDGHhgx]|\{{?q\}}?|{_SUBSTITUTE}|y/[^/\[\\\n]*/[^/\\\n]*/)?"
_SED = re.compile(rf"\s*{_SED_COMMAND}\s*(?:[;\n]\s*{_SED_COMMAND}\s*)*")


def sed_only_reads(program: str) -> bool:
    """Tell whether *program* surely only prints: no ``w``, ``e``, ``r`` of any kind."""
    return (
        "\0" not in program and len(program) < MAX_PROGRAM and _SED.fullmatch(program) is not None
    )


_PERL_VALUE = r"""(?:\$_|\$\d|\$\.|\$F\[-?\d+\]|"(?:[^"\\@`$]|\\[nt])*"|'[^'\\]*')"""
_PERL_TEST = (
    r"/(?:[^/\\@$(?{]|\\[.dwsbDWSB/|(){}\[\]?+*^$-]|\((?!\?)|\$(?=[/|)])|(?<=[\w.)\]])\?|\{\d+,?\d*\})*/i?"
    r"|\$\. ?[<>=]=? ?\d+(?: (?:&&|and) \$\. ?[<>=]=? ?\d+)?"
)
_PERL = re.compile(
    rf"\s*(?:print|say)(?:\s+{_PERL_VALUE}(?:\s*[,.]\s*{_PERL_VALUE})*)?"
    rf"(?:\s+(?:if|unless)\s+!?(?:{_PERL_TEST}))?\s*;?\s*"
)


def perl_only_reads(program: str) -> bool:
    """Tell whether *program*, run for each line (``-n``), surely only prints parts of it."""
    return (
        "\0" not in program and len(program) < MAX_PROGRAM and _PERL.fullmatch(program) is not None
    )


def perl_opens_plainly(name: str) -> bool:
    """Tell whether Perl opens *name* as a file: it runs what ends or begins with a bar."""
    return re.fullmatch(r"(?:[\w./*-][\w.,:/@%+=*-]*)?\w", name) is not None
