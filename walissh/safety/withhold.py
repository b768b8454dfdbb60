"""Outputs that are credentials by purpose: kept whole and sealed, told in one line of words."""

from typing import Protocol

from walissh.react.turn import CommandRun, Language, Risk
from walissh.safety import risk
from walissh.safety.placeholders import UNNUMBERED, Names

LONGEST_DAYS = 30
"""So long are values and withheld outputs kept; then only their placeholders are left."""


class Vault(Protocol):
    """``store.secrets``: the values behind the placeholders of a session, sealed."""

    def names(self, session_id: str) -> Names:
        """Return what numbers the secrets of a session; it never fails, but gives 0."""

    def names_verbatim(self, session_id: str) -> Names:
        """Return the same for texts that are put together again: each spelling is its own."""

    def exact(self, session_id: str, text: str) -> str:
        """Return *text* with its secrets in place; those nobody knows any more stay marked.

        Raises StoreError, and SealError if they were sealed with another key.
        """

    def withhold(self, command_id: str, text: str) -> None:
        """Keep the next piece of an output sealed; raises StoreError."""


class OpenVault:
    """Numbers nothing and keeps nothing: for texts of no session."""

    def names(self, session_id: str) -> Names:
        """Return what gives no numbers."""
        return UNNUMBERED

    names_verbatim = names

    def exact(self, session_id: str, text: str) -> str:
        """Return *text* as it is."""
        return text

    def withhold(self, command_id: str, text: str) -> None:
        """Let the piece go."""


OPEN_VAULT = OpenVault()


def is_due(run: CommandRun, exact: str) -> bool:
    """Tell whether what *run* prints is withheld whole; *exact* is its text without placeholders.

    A placeholder is two words to a shell: with one in it another line would be judged.
    """
    return run.risk is Risk.SECRET_EXPOSURE or risk.classify(exact).exposes


def note(language: Language) -> str:
    """Return the one line that stands for a withheld output.

    It tells no sizes: what is kept has placeholders, a key of many lines is one of them.
    """
    if language == "zh":
        return (
            "[输出已封存。此命令的输出就是凭据，因此不提供给模型，"
            "也不会进入导出和记忆。会话所有者（管理员或操作员）可在此命令下查看。]\n"
        )
    return (
        "[output withheld. What this command prints is credentials, so neither the model nor"
        " memory nor an export is given it. The owner of this session can look at it on the"
        " command, as an admin or operator.]\n"
    )


def gone(language: Language) -> str:
    """Say that a command cannot be put together again."""
    if language == "zh":
        return "此命令引用的密钥已不再保存（30 天后会清除）。未运行任何内容。请重新告知后再试。"
    return (
        "A secret in this command is not kept any more (its value is cut after 30 days). Nothing"
        " was run. Say it again and ask anew."
    )


def not_kept(language: Language) -> str:
    """Say that a command holds a secret that has no place in the vault."""
    if language == "zh":
        return "此命令含有密钥，而本会话可保存的密钥已满。请开始新的会话。"
    return "This command holds a secret, and this session can keep no more. Begin a new one."


def borrowed(language: Language) -> str:
    """Say why a command that names a placeholder waits."""
    if language == "zh":
        return "它使用了本会话中的一个已隐藏的密钥，其真实值会写入命令行。"
    return "It uses a hidden secret of this session: the value itself goes into the command line."
