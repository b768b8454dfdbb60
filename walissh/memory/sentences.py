"""Short sentences that memory says to a person, in both languages."""

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
