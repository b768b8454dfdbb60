"""Tell what was pasted or typed for the shell: log lines, stack traces, command lines."""

import re
from functools import cache
from typing import Final

from walissh.react.intent import lexicon
from walissh.react.intent.reading import Reading
from walissh.react.intent.situation import Situation

_LOG: Final = re.compile(
    r"(?m)^\W*(?:"
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w* +\d{1,2},? +\d\d:\d\d"
    r"|\[?\d{4}[-/]\d\d[-/]\d\d[t ,]+\d\d:\d\d|\[ *\d+\.\d+\] ?\w|\d\d:\d\d:\d\d[.,: ]"
    r"|\[?(?:error|fatal|panic|warn(?:ing)?|crit(?:ical)?|emerg|alert|severe|info|debug)\]?\s*[:\]|]"
    r"|[ewif]\d{4} \d\d:\d\d|(?:\d{1,3}\.){3}\d{1,3} - \S+ \[|at [\w.$<>]+\([\w.]+:\d+\)"
    r"|level=(?:error|warn|fatal|panic)|time=\"?\d{4}|traceback \(most recent|\{\"(?:level|ts|time|severity|msg)\""
    r"|file \"[^\"]+\", line \d+|\s*\^~*$|goroutine \d+ \[|thread '\w+' panicked)",
    re.I,
)
_FAULT: Final = re.compile(
    r"\b[\w.]*(?:exception|error)\b(?::| \d| in |\()|\bcaused by:|\berrno\b|\be(?:conn|addr|timed|host|net|noent|acces|perm|pipe|mfile)\w+\b"
    r"|\b(?:fatal|panic|error|warning|critical|failed|failure|fehler|err|e|curl|ssh|scp|bash|sh|mount|dpkg|apt|yum|dnf|rpm|npm|pip|git|tar|rsync|docker|kubectl|"
    r"nginx|mysqld?|psql|redis|java|python3?|make|ld|gcc|systemd|kernel|haproxy|postfix|smtp|ora-\d+|msg \d+|x509|tls|ssl|dial tcp|unable to connect to the server|oserror|ioerror|segfault|sudo|su|cp|mv|rm|ls|cat|cd|unix|bind\(\)|connect\(\)|accept\(\)|\w+\(\))"
    r"(?:\[\d+\])?: *(?:\(\d+\) )?\S+ ?\S"
    r"|segmentation fault|core dumped|no space left on device|connection (?:refused|reset|timed out)|out of memory:|killed process|permission denied|no such file or directory"
    r"|address already in use|too many (?:open files|connections|clients)|broken pipe|name or service not known|temporary failure in name resolution|host key verification failed"
    r"|cannot (?:allocate memory|open|connect|access|resolve|find|stat|bind)|command not found|exit(?:ed with)? (?:code|status) [1-9]|returned (?:non-zero|a non-zero)|http/\d\.\d\" [45]\d\d|status[:=] ?[45]\d\d"
    r"|call trace:|bug: |oops:|i/o error|read-only file system|unhandled |stack trace|deadlock found|lock wait timeout|duplicate entry|access denied for user|certificate (?:has expired|verify failed|is not)"
    r"|dropping packet|soft lockup|hung_task|blocked for more than|link is down|nf_conntrack|remounting|imagepullbackoff|crashloopbackoff|back-off|oomkilled|evicted|unschedulable|backoff restarting|liveness probe failed|readiness probe failed|"
    r"main process exited|failed with result|start request repeated|entered failed state|dependency failed|timed out waiting|unreachable host|replication|slave sql|wsrep|quorum|not found in|undefined (?:symbol|reference|method)|nullpointer|npe",
    re.I,
)
_LOGGED_WORDS: Final = re.compile(
    r"[a-z]+\(\)|\b\w+\.\w+\.\w+\b|[A-Z]\w+(?:Exception|Error)\b|:\d+\)|0x[0-9a-f]+|\[\d+\]|=\S|_|\bpid\b|::|\b\d{3,}\b|\"/|/\w+/",
    re.I,
)
_ASKS: Final = re.compile(
    r"[?？]\s*$|什么意思|是什么(?!情况|问题|原因)|what does|what is|meaning of|怎么解决|吗\s*$",
    re.I,
)


def log(read: Reading, _: Situation) -> float:
    """A log, an error or a stack trace, with no question about what it means."""
    if _ASKS.search(read.text) and lexicon.found("knowledge", read.text):
        return 0.0
    lined = _LOG.search(read.raw) is not None
    fault = _FAULT.search(read.raw) is not None
    if read.cut and (lined or fault):
        return 0.92
    if read.han and not lined:
        return 0.8 if fault and len(read.text) > 60 and _mostly_latin(read.text) else 0.0
    if lined:
        return 0.93 if fault or len(read.text) > 40 else 0.0
    return _bare_fault(read) if fault else 0.0


def _bare_fault(read: Reading) -> float:
    """Judge an error without a time before it: the words of a sentence make it less sure."""
    begins = _FAULT.match(read.raw.strip()) is not None
    if begins or _LOGGED_WORDS.search(read.raw):
        return 0.0 if read.asked or lexicon.found("person", read.text) else 0.92
    return 0.0


def _mostly_latin(text: str) -> bool:
    return sum(char.isascii() for char in text) > 0.8 * len(text)


# --- command lines ----------------------------------------------------------------------------

_PROMPT = re.compile(r"^\s*(?:[\w.-]+@[\w.-]+[^$#]{0,40})?[$#]\s+(?=\S)|^\s*`+|`+\s*$")
_LED = re.compile(
    r"^(?:sudo(?: -\S+)*|env(?: \w+=\S+)*|\w+=\S+|time|nohup|nice(?: -n ?\S+)?|timeout \S+|exec|doas)\s+"
)
_SHELLY = re.compile(
    r"\s--?[A-Za-z]|[|<>;&$*`~\\{}]|(?:^|\s)\.{0,2}/\S|=\S|\s'|\s\"|\w@\w|:\d+|\.\w+$|%|\w/\w"
)
_FREE_TEXT = re.compile(
    r"[?？]\s*$|\b(?:please|pls|the|my|our|this|that|is|are|why|what|how|and|it|a|an|to|for me|of|with|but)\b",
    re.I,
)
_SCRIPT = re.compile(r"^(?:\./|/(?:usr|bin|sbin|opt|etc|root|home|srv)[\w./-]+|~/[\w./-]+)(?:\s|$)")
_SQL = re.compile(
    r"^(?:select\s.+\sfrom\s|insert\s+into\s|update\s+\w+\s+set\s|alter\s+(?:table|user|database|system)\s|create\s+(?:table|index|database|user)\s+[\w`'\"]+\s*(?:\(|;|on|$|identified)"
    r"|show\s+(?:processlist|variables|slave|master|databases|tables|engine|grants|status)\b.{0,40};?$|explain\s+select|set\s+global|flush\s+privileges|grant\s+\w+.*\son\s|vacuum\s|analyze\s+\w+;|db\.\w+\.\w+\()",
    re.I,
)
_CONTROL = re.compile(
    r"^(?:for\s+\w+\s+in\s|while\s+.+;\s*do|if\s+\[|until\s+.+;\s*do|\[\[?\s|export\s+\w+=|alias\s+\w+=)"
)


def command(read: Reading, _: Situation) -> float:
    """A raw command line, perhaps with a word around it ("df -h 跑一下")."""
    text = _PROMPT.sub("", read.raw.strip()).strip()
    if not text or ("\n" in text and not _is_command(text.splitlines()[0])):
        return 0.0
    if _COMPLAINS.search(text):
        return 0.0
    if text.isascii():
        return 0.94 if _is_command(text) else 0.0
    return _with_words(text)


_COMPLAINS = re.compile(r"^\S+ (?:ERR!|E:|error:|fatal:)|^\S+: ", re.I)


def _with_words(text: str) -> float:
    found = re.match(r"^[\x20-\x7e]{4,}", text)
    around = text[found.end() :] if found else ""
    if not found or not _is_command(found[0].strip()) or not lexicon.whole(_RUNS, around.strip()):
        return 0.0
    return 0.9


_RUNS: Final = ("run_it",)


def _is_command(text: str) -> bool:
    text = _LED.sub("", _LED.sub("", text))
    if _SCRIPT.match(text) or _SQL.match(text) or _CONTROL.match(text):
        return not text.endswith("?")
    name, _, rest = text.partition(" ")
    if name in _programs("plain"):
        return _runs(name, rest)
    return (
        name in _programs("words")
        and _SHELLY.search(f" {rest}") is not None
        and not _FREE_TEXT.search(rest)
    )


def _runs(name: str, rest: str) -> bool:
    """Tell whether what follows a program's name are its arguments, and not a sentence."""
    if not rest:
        return name in _programs("alone")
    if _FREE_TEXT.search(rest) and not _SHELLY.search(f" {rest}"):
        return False
    if re.search(
        r"[?]\s*$|^(?:is|are|was|on \w+ (?:is|has)|has|won't|keeps|fails|does|can't|doesn't|still|not|vs|or|and|for)\b",
        rest,
    ):
        return False
    return len(rest.split()) <= 4 or _SHELLY.search(f" {rest}") is not None


@cache
def _programs(kind: str) -> frozenset[str]:
    return frozenset(lexicon.load("programs")[kind].split())
