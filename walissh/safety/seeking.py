"""Searches for passwords and keys: in settings, in code, in what other commands print."""

import re
from collections.abc import Iterable
from itertools import pairwise

from walissh.safety import leaks
from walissh.safety.shell import Word

_SEARCHES = frozenset((*leaks.GREPS, "rg", "ag", "ack", "awk", "gawk", "mawk", "sed", "jq", "yq"))
# words that come before or behind, and make it a tale of a login or a rule for passwords
_SOUGHT = re.compile(
    r"""(?xi)
    (?<!failed[ .])(?<!accepted[ .])(?<!invalid[ .])(?<!wrong[ .])(?<!bad[ .])(?<!ask-)
    (?: passw(?:or)?d | passphrase | requirepass | masterauth | secrets? | credentials?
      | (?:api|access|private|secret|encryption|signing).{0,4}key
      | (?:auth|access|bearer|refresh|api).{0,4}token | authorization.{0,4}bearer
      | (?:auth|db|user|root|smtp|mail|admin|mysql|ftp|http|ldap)_?pass\b
      | (?:root|bind|user|admin|db)_?pw\b
      | wpa.psk | \bpsk\b | pre.?shared.?key | BEGIN.{0,12}PRIVATE | \bConfig\.Env\b
      | 密码 | 口令 | 密钥 | 令牌 | 凭据 | 凭证 )
    (?! .?authentication | auth\b | [-_. ]?(?:check|expired|changed|reset|policy|encryption|hash_
      | file|path|age\b|mismatch|changes|expires|required|inactive|wait|minimum) )
    | ^\W* (?:pass|pw|pwd|tokens?|jwt|bearer|authorization) \W*$
    """
)
_VALUE = re.compile(
    r"(?i)(?:pass(?:w(?:or)?d)?|pwd|secret|token|api.{0,2}key)[\\s*\"]*(?:[=:]|\\K)"
)
# what tells of logins day after day, without the passwords
_LOGINS = re.compile(
    r"/log/(?:\S*/)?(?:auth|secure|messages|syslog|mail|audit|sssd|fail2ban|vsftpd|kern|dpkg|apt"
    r"|yum|dnf|cron|postgres|mysql|mariadb)[^/]*(?:/|$)"
)
_LOGIN_UNITS = re.compile(r"ssh|sudo|login|auth|vsftpd|dovecot|postfix|sssd|gdm|pam")
# what prints names, states and descriptions: a word found there is no password
_NAMES = frozenset(
    "ls find locate dpkg dpkg-query rpm apt apt-cache apt-get apt-mark dnf yum zypper pacman apk "  # noqa: SIM905
    "snap pip pip3 npm gem man whatis apropos ps pgrep pstree top ss netstat lsof lsmod modinfo "
    "getent id groups chage sshd sysctl which whereis type last lastlog who w id stat file tree "
    "du df mount semanage getsebool sestatus crontabs compgen ausearch aureport pam_tally2 "
    "faillock journalctl systemctl kubectl docker podman helm git".split()
)
_SHOWS_MORE = re.compile(
    r"(?x)^ps\s.*\be | ^(?:docker|podman)\s.*\b(?:inspect|logs|history|exec|config|run)\b"
    r"| ^kubectl\s.*(?:\s(?:-o|--output|logs|describe|exec)|secret|configmap|\bcm\b)"
    r"| ^helm\s.*\b(?:get|template|show)\b | ^systemctl\s.*\b(?:cat|show)\b"
    r"| ^git\s.*\b(?:show|diff|config|grep|cat-file|blame)\b | ^git\s.*\s(?:-p|--patch|-[SG])"
)


def for_secrets(form: tuple[str, ...], shown: Iterable[str]) -> bool:
    """Tell whether *form* searches the files *shown* for passwords or keys, and prints them."""
    named = {path for path in shown if not path.startswith("-")}
    sought = _sought(form, named)
    if any(map(_VALUE.search, sought)):
        return True
    return bool(sought) and any(not _LOGINS.search(path) for path in named)


def through_pipe(form: tuple[str, ...], heard: tuple[tuple[Word, ...], ...]) -> bool:
    """Tell whether *form* searches what comes in for passwords or keys, and prints them.

    *heard*: the commands that print all of it, as far as that is sure. A word of this kind
    in a list of names is none.
    """
    sought = _sought(form, frozenset())
    if not sought:
        return False
    return any(map(_VALUE.search, sought)) or not (heard and all(map(_only_tells, heard)))


def _sought(form: tuple[str, ...], named: Iterable[str]) -> list[str]:
    """Return the words of *form* that name what is looked for, if that is a secret."""
    if form[0] not in _SEARCHES or leaks.only_counts(form):
        return []
    words = [word for word in form[1:] if word not in named]
    words += [word for flag, word in pairwise(form) if flag in {"-e", "--regexp"}]
    return [word for word in words if _SOUGHT.search(word) or _VALUE.search(word)]


def _only_tells(words: tuple[Word, ...]) -> bool:
    texts = [word.literal or "" for word in words]
    whole = " ".join(texts)
    if texts and texts[0] == "journalctl":
        return _LOGIN_UNITS.search(whole) is not None
    if texts and texts[0] in _NAMES:
        return not _SHOWS_MORE.search(whole)
    return any(map(_LOGINS.search, texts[1:]))
