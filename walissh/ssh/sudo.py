"""Our side of a password for sudo: which command may ask, what it is told, what it says of it."""

import re

from walissh.react.turn import Risk
from walissh.safety import risk
from walissh.ssh import askpass

_WORD = re.compile(r"(?<![\w.-])sudo(?![\w.-])")


def wants(command: str) -> bool:
    """Tell whether a part of *command* is sudo, or may be: it is named, and not only read of.

    Only such a command gets a way to ask: no other one can draw the password out of us.
    """
    if not _WORD.search(command):
        return False
    if any(text.split(" ", 1)[0] == "sudo" for text in risk.simple_texts(command)):
        return True
    return risk.classify(command).risk is not Risk.READ_ONLY  # a script inside may name it


class Answers:
    """What sudo is told in one run: the password once to each sudo, nothing after a refusal.

    A sudo that asks twice has refused what it was told. Every further try would count towards
    a lock of the account, so the whole run gets no more of them.
    """

    def __init__(self, host: str, password: str | None) -> None:
        self._host = host
        self._password = password
        self._told: set[str] = set()
        self._refused = self._missing = self._no_way = False

    @property
    def hidden(self) -> str:
        """What no output may hold, "" if there is no password."""
        return self._password or ""

    def answer(self, line: str) -> str:
        """Return what to send for one aside of the starting shell, "" for nothing."""
        asker = askpass.parse_request(line)
        if asker is None:
            self._no_way = True
            return ""
        self._missing = self._missing or self._password is None
        self._refused = self._refused or asker in self._told
        if self._missing or self._refused or not asker:
            return askpass.answer(None)
        self._told.add(asker)
        return askpass.answer(self._password)

    def notice(self, exit_code: int) -> str:
        """Say why sudo did not get its way and what to do, "" if nothing is known of it."""
        if self._refused:
            return (
                f"{self._host}: sudo refused the password; it was not tried again. Enter the right"
                " one on the host page, or on the card when the command waits for you again."
            )
        if self._missing:
            return (
                f"{self._host}: sudo wants a password, and none is known for this host. Enter it"
                " on the host page, then ask again."
            )
        if self._no_way and exit_code:
            return (
                f"{self._host}: no password can be handed to sudo there: it takes mktemp, mkfifo"
                " and a folder from which programs may be run. If sudo wanted one, it got none."
            )
        return ""
