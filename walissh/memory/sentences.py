"""Short sentences that memory says to a person, in both languages."""

from collections.abc import Sequence

from walissh.react.turn import Language

_KINDS_ZH = {
    "password": "密码",
    "token": "令牌",
    "key": "密钥",
    "private key": "私钥",
    "passphrase": "口令",
    "pin": "PIN 码",
}


def refused(kind: str, language: Language) -> str:
    """Say that a secret of *kind* was not remembered, and where it belongs."""
    if language == "zh":
        name = _KINDS_ZH.get(kind, "机密")
        return f"没有记住这个{name}：机密不进入记忆。登录用的密码和密钥请填在主机页，它们加密保存。"
    return (
        f"The {kind} was not remembered: no secret goes into memory. Put what is needed to log"
        " in on the host page, where it is kept encrypted."
    )


def confirmed(cause: str, fix: str, language: Language) -> str:
    """Say that a case is kept, with its cause and its fix in Markdown, and where it stands."""
    cause, fix = cause.strip(" .。"), fix.strip(" .。")
    if language == "zh":
        done = f"处理办法：{fix}。" if fix else ""
        return (
            f"记住了，这就是原因：{cause}。{done}以后遇到类似的问题会先查这里。"
            "可以在“记忆”页面查看、更正或删除。"
        )
    done = f" What fixed it: {fix}." if fix else ""
    return (
        f"Kept as a case, this was the cause: {cause}.{done} A similar question will be looked"
        " into here first. The page Memory shows it, corrects it or deletes it."
    )


def which_host(hosts: Sequence[str], language: Language) -> str:
    """Ask on which of *hosts* it was."""
    if language == "zh":
        return f"在几台主机上都找到了原因：{'、'.join(hosts)}。是哪一台？什么都还没有记下。"
    names = ", ".join(hosts)
    return f"Causes were found on several hosts: {names}. Which one was it? Nothing is kept yet."


def not_confirmed(language: Language) -> str:
    """Say that nothing was learned, for an output of that turn gave orders."""
    if language == "zh":
        return "没有记下：那一轮有命令的输出含有指令，或者文字里有机密，所以不从中学习。"
    return (
        "Nothing was kept: an output of that turn gives orders, or the text holds a secret, and"
        " nothing is learned from that."
    )
