"""The settings of sign-in by an OpenID Connect provider."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from walissh.errors import SettingsError

ISSUER, CLIENT_ID = "WALISSH_OIDC_ISSUER", "WALISSH_OIDC_CLIENT_ID"
SECRET, CLAIM = "WALISSH_OIDC_CLIENT_SECRET", "WALISSH_OIDC_CLAIM"
ROLES, OTHERS = "WALISSH_OIDC_ROLES", "WALISSH_OIDC_OTHERS"

RANKED = ("admin", "operator", "viewer")
REFUSE = "refuse"
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
ROLES_FORM = "use GROUP=ROLE, GROUP=ROLE with the roles admin, operator and viewer"


@dataclass(frozen=True, slots=True)
class Oidc:
    """A provider, and what the groups that it names make of somebody.

    *claim* is where the groups stand in the id token; dots lead into objects. *others* is the
    role of who is in no group of *roles*, "" to refuse them.
    """

    issuer: str
    client_id: str
    client_secret: str = field(default="", repr=False)
    claim: str = "groups"
    roles: tuple[tuple[str, str], ...] = ()
    others: str = "viewer"

    def role_of(self, groups: frozenset[str]) -> str:
        """Return the highest role that *groups* give, "" for nobody who may come in."""
        given = {role for group, role in self.roles if group in groups}
        return next((role for role in RANKED if role in given), self.others)


def from_values(values: Mapping[str, str]) -> Oidc | None:
    """Return the provider that the settings name, None if they name none.

    Raises SettingsError with one line that names the variable and what is allowed.
    """
    issuer = values.get(ISSUER, "").rstrip("/")
    if not issuer:
        stray = next(
            (each for each in (CLIENT_ID, SECRET, CLAIM, ROLES, OTHERS) if values.get(each)), ""
        )
        if stray:
            raise SettingsError(f"{stray} is set and {ISSUER} is not: set both, or none.")
        return None
    client_id = values.get(CLIENT_ID, "")
    if not client_id:
        raise SettingsError(f"{ISSUER} is set and {CLIENT_ID} is not: set both, or none.")
    others = values.get(OTHERS, "") or "viewer"
    if others not in (*RANKED, REFUSE):
        raise SettingsError(
            f"{OTHERS}={others!r} is not valid: use one of {', '.join((*RANKED, REFUSE))}"
        )
    return Oidc(
        _issuer(issuer),
        client_id,
        values.get(SECRET, ""),
        values.get(CLAIM, "") or "groups",
        tuple(_roles(values.get(ROLES, ""))),
        "" if others == REFUSE else others,
    )


def _issuer(url: str) -> str:
    try:
        parts = urlsplit(url)
        good = parts.scheme == "https" and bool(parts.hostname)
        good = good or (parts.scheme == "http" and parts.hostname in LOOPBACK)
        good = good and not (parts.query or parts.fragment or parts.username) and parts.port != 0
    except ValueError:
        good = False
    if not good:
        raise SettingsError(
            f"{ISSUER}={url!r} is not valid: use the https:// address of the provider"
        )
    return url


def _roles(text: str) -> list[tuple[str, str]]:
    """Read GROUP=ROLE pairs; semicolons part them where one holds a comma, as LDAP's do."""
    pairs = []
    for piece in text.split(";" if ";" in text else ","):
        if not piece.strip():
            continue
        group, mark, role = (each.strip() for each in piece.rpartition("="))
        if not (mark and group and role in RANKED):
            raise SettingsError(f"{ROLES}={text!r} is not valid: {ROLES_FORM}")
        pairs.append((group, role))
    return pairs
