"""Tell what nobody who means well asks for: wiping, opening, stealing, attacking, hiding.

A word alone is no harm: deleting old logs is work, and how to be safe from an attack is a
question. Harm is a deed that meets an object of weight, with nothing said that bounds it.
"""

import re
from typing import Final

from walissh.react.intent.lexicon import found
from walissh.react.intent.reading import Reading
from walissh.react.intent.situation import Situation

_FIRM: Final = 0.97
_LIKELY: Final = 0.95
_UNSURE: Final = 0.7


def wipes(read: Reading, at: Situation) -> float:
    """Destroying all of something, or something precious, with nothing that bounds it."""
    text = read.said
    if not found("wipe", text) or _defended(read) or found("wh_first", read.bare):
        return 0.0
    all_of_it, precious = found("everything", text), found("precious", text)
    brute = found("brute_wipe", text)
    if not (all_of_it or precious or brute) or found("bounded", text) or _cleared(text, at):
        return 0.0
    if not (all_of_it or precious):
        return 0.94
    return _weighty(text, both=all_of_it and precious)


def _weighty(text: str, *, both: bool) -> float:
    if found("harsh_wipe", text) or both:
        return _FIRM
    return _LIKELY if found("wipe_object", text) else 0.0


def _cleared(text: str, at: Situation) -> bool:
    """Tell whether the machine or its data were said to be given up and kept elsewhere."""
    said = f"{text} {at.goal} {at.last}"
    return found("old_machine", said) and (found("kept_elsewhere", said))


def opens_up(read: Reading, _: Situation) -> float:
    """Switching protection off, or letting in who should not be."""
    text = read.said
    if _defended(read):
        return 0.0
    if found("weaken", text):
        return 0.95
    if not (found("switch_off", text) and found("protection", text)):
        return 0.0
    if found("strong_protection", text) and found("many_or_lasting", text):
        return _FIRM
    if found("for_a_while", text):
        return 0.0
    if found("many_or_lasting", text) or found("strong_protection", text):
        return 0.94
    return 0.0


def steals(read: Reading, _: Situation) -> float:
    """Taking credentials or private data out, or making them readable."""
    text = read.said
    if _defended(read):
        return 0.0
    if found("password_file", text):
        return 0.95
    if found("take", text) and found("private_data", text) and found("outside", text):
        return 0.95
    return 0.0


def attacks(read: Reading, _: Situation) -> float:
    """Attacking, infecting or spying on others."""
    text = read.said
    if not found("attack", text) or found("of_ours", text) or _defended(read):
        return 0.0
    return 0.95


def hides(read: Reading, _: Situation) -> float:
    """Removing or falsifying the traces of what was done."""
    text = read.said
    if found("secret_account", text) and not _defended(read):
        return 0.95
    if found("unseen", text) and any(found(deed, text) for deed in _DEEDS):
        return _FIRM
    if not found("hide", text) or (found("defended", text) and not found("so_nobody_sees", text)):
        return 0.0
    if found("so_nobody_sees", text):
        return _FIRM
    return 0.95 if found("always_hiding", text) and not found("bounded", text) else 0.0


_DEEDS: Final = ("wipe", "take", "switch_off", "hide", "attack", "act")


def _defended(read: Reading) -> bool:
    """Tell whether the talk is of harm, not for it: asked about, forbidden, or reported."""
    return found("defended", read.said)


# --- a command line -------------------------------------------------------------------------

_DISK = r"/dev/(?:sd|vd|xvd|hd|nvme|mapper/|md|disk)\S*"
_TREE = (
    r"(?:/|/\*|~/?\*?|\$HOME/?\*?|/(?:home|etc|usr|var|boot|bin|s?bin|lib|lib64|root|opt|srv|data)/?\*?"
    r"|/var/lib/?\*?|/var/lib/(?:mysql|postgresql|mongo\w*|docker|etcd|redis|pgsql)\S*|/data/\*|\./?\*|\*)"
)
_COMMANDS: Final = tuple(
    re.compile(each)
    for each in (
        rf"\brm\s+(?:-\S+\s+)*(?:-\w*[rR]\w*|--recursive)\s+(?:-\S+\s+)*{_TREE}(?:\s|$|[;&|'\"])",
        r"\brm\b.*--no-preserve-root",
        r"\b(?:rm|shred|truncate|unlink)\b.*(?:/var/log/(?:auth|secure|audit|wtmp|btmp|lastlog|\*)|_history|/var/log/?\s*$)",
        rf"\b(?:mkfs(?:\.\w+)?|wipefs|shred|blkdiscard|sgdisk|mkswap)\b.*{_DISK}",
        rf"\b(?:dd|tee|cat|cp)\b.*(?:of=|>\s*|\s){_DISK}",
        rf">\s*{_DISK}",
        r":\s*\(\s*\)\s*\{.*\|.*&.*\}\s*;|\bfork\(\)\s+while|%0\|%0",
        r"\bchmod\s+(?:-\w+\s+)*(?:0?777|a\+rwx|0?666|000)\s+(?:-\w+\s+)*/(?:etc|usr|var|home|root|bin|boot|lib)?/?\*?(?:\s|$)",
        r"\bchown\s+(?:-\w+\s+)*-\w*R\w*\s+\S+\s+/(?:etc|usr|var|bin|boot|lib)?/?(?:\s|$)",
        r"\bfind\s+/(?:\s|etc|var|home|usr|srv|data\s)(?!.*-(?:mtime|mmin|name|newer|size|atime|ctime)).*(?:-delete|-exec\s+(?:rm|shred))",
        r"\bmv\s+(?:-\S+\s+)*(?:/|/\*|/home\S*|/etc\S*|/var\S*|~)\s+/dev/null",
        r"\bhistory\s+-\w*c|>\s*(?:~|/root|\$HOME|/home/\w+)/\.\w*history|unset\s+HISTFILE|HISTSIZE=0|HISTFILE=/dev/null|ln\s+-\w+\s+/dev/null\s+\S*history",
        r"(?:>|truncate\s+-s\s*0)\s*/var/log/(?:auth|secure|audit|wtmp|btmp|lastlog|utmp|messages|syslog)|journalctl\s+.*--vacuum-(?:time=1s|size=1\b)",
        r"/dev/tcp/|\bn(?:c|cat|etcat)\b.*\s-\w*[ec]\s*\S*(?:sh|cmd)|\bsocat\b.*exec:|\bmkfifo\b.*\bn(?:c|cat)\b|pty\.spawn|sh\s+-i\b.*[<>]&",
        r"(?:/etc/shadow|id_rsa|id_ed25519|\.aws/credentials|\.pgpass|/etc/gshadow|\.kube/config|\.ssh/?\b).*(?:\|\s*(?:curl|nc|ncat|wget|mail|ssh)\b|\s\w+@\S+:|https?://)",
        r"\b(?:curl|wget|scp|rsync|nc|mail)\b.*(?:@|<|\s)(?:/etc/shadow|/root/\.ssh|~/\.ssh|\S*id_rsa|\S*\.pgpass)",
        r"\b(?:hydra|medusa|sqlmap|msfconsole|msfvenom|hping3|slowloris|aircrack-ng|responder|mimikatz|john|hashcat|xmrig|minerd|ettercap|arpspoof|loic|ncrack|patator|bettercap|crackmapexec)\b\s+\S",
        r"\b(?:systemctl|service)\s+(?:-\S+\s+)*(?:(?:stop|disable|mask)\s+(?:--now\s+)?(?:auditd|firewalld|ufw|nftables|iptables|fail2ban|apparmor|falcon\S*|wazuh\S*|clamav\S*|ossec\S*|crowdsec)|(?:auditd|firewalld|iptables|fail2ban|apparmor)\s+stop)",
        r"\bsetenforce\s+(?:0|permissive)|\bufw\s+(?:disable|reset)|\biptables\s+(?:-F|--flush|-P\s+INPUT\s+ACCEPT)(?:\s|$)|\bnft\s+flush\s+ruleset|\bauditctl\s+-(?:e\s*0|D)|\baa-teardown|\bSELINUX=(?:disabled|permissive)",
        r"\b(?:drop|DROP)\s+(?:database|DATABASE|schema|SCHEMA)\b|\bFLUSHALL\b|\bflushall\b|\bdropDatabase\s*\(|\b(?:delete|DELETE)\s+(?:from|FROM)\s+\w+\s*(?:;|$|['\"])",
        r"\b(?:kubectl|oc)\s+delete\s+(?:ns|namespaces?|all|pv|pvc|nodes?|deploy\w*|pods?)\s+.*--all\b(?!.*-n\s*(?:test|dev|staging))|\bkubectl\s+delete\s+(?:ns|namespace)\s+(?:prod\w*|kube-system|default)",
        r"\bterraform\s+destroy\b.*auto-approve|\baws\s+s3\s+r[bm]\b.*--(?:force|recursive)\s*$|\b(?:lvremove|vgremove|zpool\s+destroy|mdadm\s+--(?:stop|zero-superblock)|pvremove)\b|\bdocker\b.*\brm\b.*-\w*f.*\$\(docker\s+(?:ps\s+-\w*a?q|volume\s+ls)",
        r"\bcrontab\s+-r\b.*\ball|\bkill\s+-(?:9|KILL)\s+-1\b|\bkillall5\b|/proc/sysrq-trigger|>\s*/etc/(?:passwd|shadow|sudoers|fstab)(?:\s|$)",
        r"NOPASSWD:\s*ALL.*(?:>>|tee)|(?:PermitRootLogin|PermitEmptyPasswords)\s+yes.*(?:>>|tee|sed)|(?:sed|>>|tee|echo).*(?:PermitEmptyPasswords)\s+yes|\bpasswd\s+-d\s+root|\buseradd\b.*-o\b.*-u\s*0|\bchmod\s+(?:u\+s|[46]755|\+s)\s+\S*/(?:ba|da|z)?sh\b",
        r"\b(?:base64\s+-d|xxd\s+-r)\b.*\|\s*(?:ba)?sh|\beval\b.*\$\(.*(?:base64|curl|wget)",
    )
)


def commands(read: Reading, _: Situation) -> float:
    """A command line that wipes, opens, steals, attacks or hides, whatever stands around it."""
    if _spoken_of(read):
        return 0.0
    return 0.98 if any(each.search(read.raw) for each in _COMMANDS) else 0.0


_ASKED_ABOUT = re.compile(
    r"what|why|how|explain|difference|safe|danger|\?|？|什么|怎么|为什么|解释|会|吗|"
    r"never|don't|do not|不要|别|禁止|不准|误|someone|ran|有人|跑了|执行了"
)


def _spoken_of(read: Reading) -> bool:
    """Tell whether the command stands in a sentence that asks about it, forbids or reports it."""
    return _ASKED_ABOUT.search(read.said) is not None and found("defended", read.said)
