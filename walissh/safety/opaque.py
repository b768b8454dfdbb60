"""Which values look like secrets, and which only stand where one could.

A path, a unit, a policy, a placeholder, a piece of code or a sentence is no secret.
"""

import re

_PLACEHOLDER = re.compile(
    r"(?i)(?:null|nil|none|undefined|true|false|yes|no|on|off|unset|empty|hidden|redacted|masked"
    r"|required|optional|enabled?|disabled?|set|not|unknown|n/?a|foobared|change_?me\w*|example|string"
    r"|str|text|invalid|expired|missing|denied|failed|ok|error|wrong|incorrect|sent|changed|default"
    r"|prompt|ask|file|env|sha\d*|md5|bytes|int|auto|basic|bearer|digest|password|secret|token|psk"
    r"|filtered|removed|sensitive|encrypted|never|valid|revoked|weak|strong|medium)\W*"
    r"|(?:your|replace|insert|enter|put)[-_ ].*|.*[-_]here"
    r"|[\^~<>=]{0,2}v?\d+(?:\.\d+){1,3}"
    r"|[*•.xX#-]{3,}|<.*|\$\{.*|\$\(.*|\$[A-Za-z_]\w*|\{\{.*|%[({\w].*|[(\[{‹«|>].*|@\w+@?|!\w+.*"
    r"|(?:file|vault|arn|env|ssm|secret|op|http|https|/run|sm|sha\d+|md5):.*"
)
_PATH = re.compile(
    r"~?(?:/(?:etc|var|run|opt|home|root|usr|srv|tmp|mnt|data|dev|proc|sys|secrets?|vault|app)(?:/.*)?"
    r"|/|~/.*|\.{1,2}/.*|[A-Z]:\\.*|\S+\.(?:pem|key|crt|txt|json|ya?ml|conf|file|go|py|java|js|c|rs|rb|php)(?::\d+)?)"
)
_CODE = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|->|::)[A-Za-z_$][\w$]*)*[(\[].*")
_MEMBER = re.compile(r"[A-Za-z_$][A-Za-z_$]*(?:\.[A-Za-z_$]+)+")
_CJK = re.compile(r"[一-鿿]")
NUMBER = re.compile(r"[\d.,]+(?:%|[smhd]|ms|[kmg]i?b?)?", re.I)


def is_none(value: str, *, bare: bool) -> bool:
    """Tell whether *value* surely is no secret; *bare*: it had no quotes."""
    if _PLACEHOLDER.fullmatch(value) or _PATH.fullmatch(value) or _CJK.search(value):
        return True
    return bare and (_CODE.fullmatch(value) or _MEMBER.fullmatch(value)) is not None


# --- values that give themselves away -------------------------------------------------

_ORDINARY = re.compile(
    r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\S*"  # a UUID
    r"|[\d:.,/TZ+-]+|v?\d+(?:\.\d+)+\S*|[\d.]+[a-z]{1,2}"  # times, addresses, versions, sizes
    r"|(?:[0-9a-f]{2,4}:)+[0-9a-f:]*(?:/\d+)?"  # MAC, IPv6, fingerprints
    r"|(?:h1:|sha\d*[:-]|md5[:-]|AAAA[A-Z]|ssh-|ecdsa-|rsa|aes|LS0tLS1CRUdJTiBDRVJU|MI[GI][A-Z]"
    r"|MFkw|0x|arn:|urn:|\w+://|[./~]|\w+@\w+\.\w|base64|utf-?\d|oauth|argon2|bcrypt|x\.?509"
    r"|ed25519|i-|ami-|pk_).*"
)
_WORDS = re.compile(
    r"[A-Z]?[a-z]+(?:[-_ .:/][A-Za-z]?[a-z]*)*\d{0,2}|[A-Z]+(?:[-_ ][A-Z]+)*\d{0,2}"
)
_SIGNS = re.compile(r"[!@#$%^&*?~|]")
_HEX = re.compile(r"[0-9a-f]+|[0-9A-F]+")


def is_opaque(value: str, *, least: int = 8, hexadecimal: bool = False) -> bool:
    """Tell whether *value* can only be a password or a key, whatever its name.

    Signs, both cases and digits mixed. Checksums are not; with *hexadecimal* they are.
    """
    if len(value) < least or is_none(value, bare=True) or _ORDINARY.fullmatch(value):
        return False
    if _HEX.fullmatch(value):
        return hexadecimal and len(value) >= 20
    if _WORDS.fullmatch(value):
        return False
    digit, upper, lower = (re.search(kind, value) for kind in (r"\d", "[A-Z]", "[a-z]"))
    if digit and (upper or lower) and _SIGNS.search(value):
        return True
    return bool(digit and lower and (upper or re.search(r"\d[a-z]", value)))
