"""The OpenID Connect provider: where it is, what it answers, and whether its word holds."""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx2
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.httpx_client import OAuth2Client
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import ExpiredTokenError, JoseError
from joserfc.jwk import KeySet
from joserfc.jws import JWSRegistry

from walissh.config_oidc import Oidc
from walissh.errors import DeniedError, WalisshError
from walissh.store.oidc_flows import Flow

LIMIT_S = 10.0
KEEP_S = 3600.0
"""How long what the provider says of itself is believed; unknown keys are asked for at once."""

REFETCH_S = 10.0
"""Keys are asked for at most so often: whoever sends made-up tokens must not drive us."""

CLOCKS_S = 60
"""How far the clocks of the provider and of this machine may be apart."""

SCOPES = ("openid", "profile", "email")
SIGNATURES = [f"{family}{bits}" for family in ("RS", "PS", "ES") for bits in (256, 384, 512)] + [
    "EdDSA",
    "Ed25519",
]
"""What a provider signs with. Not HS256: its key would be the client's secret."""

NEEDED = ("issuer", "authorization_endpoint", "token_endpoint", "jwks_uri")

Claims = Mapping[str, Any]
Answer = TypeVar("Answer")


class ProviderError(WalisshError):
    """The provider could not be asked; somebody else must mend it."""


@dataclass(frozen=True, slots=True)
class _Said:
    """What was fetched, and when."""

    told: Mapping[str, Any]
    at: float

    def is_fresh(self, life_s: float) -> bool:
        return time.monotonic() - self.at < life_s


class Provider:
    """One provider; what it says of itself is fetched when it is first needed."""

    def __init__(self, configured: Oidc) -> None:
        self._configured = configured
        self._metadata: _Said | None = None
        self._keys: _Said | None = None

    @property
    def issuer(self) -> str:
        """The address by which people know it."""
        return self._configured.issuer

    def begin(self, state: str, flow: Flow, back: str) -> str:
        """Return where the browser goes to sign in; *back* is where it is sent afterwards."""
        told = self._told()
        with self._client(back, told) as client:
            url, _ = client.create_authorization_url(
                told["authorization_endpoint"],
                state=state,
                nonce=flow.nonce,
                code_verifier=flow.verifier,
            )
        return str(url)

    def finish(self, code: str, flow: Flow, back: str) -> Claims:
        """Return what the provider says of who came back with *code*.

        Raises DeniedError if it does not stand by it or its word does not hold, and
        ProviderError if it cannot be asked.
        """
        told = self._told()
        token = self._asked(lambda: self._exchanged(told, code, flow, back))
        if not isinstance(token.get("id_token"), str):
            raise DeniedError(
                f"The sign-in service {self.issuer} named nobody. Ask an admin to look at its"
                " settings."
            )
        return self._checked(told, token, flow)

    def is_issuer(self, named: str) -> bool:
        """Tell whether an answer that names its issuer is of this one."""
        return named.rstrip("/") == self.issuer

    def _exchanged(self, told: Claims, code: str, flow: Flow, back: str) -> dict[str, Any]:
        with self._client(back, told) as client:
            try:
                found = client.fetch_token(
                    told["token_endpoint"],
                    grant_type="authorization_code",
                    code=code,
                    code_verifier=flow.verifier,
                )
            except AuthlibBaseError as error:
                raise DeniedError(
                    f"The sign-in service {self.issuer} does not stand by this sign-in (any more)."
                    " Start again."
                ) from error
        return dict(found)

    def _client(self, back: str, told: Claims) -> OAuth2Client:
        ways = told.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        secret = self._configured.client_secret or None
        posted = secret and "client_secret_basic" not in ways and "client_secret_post" in ways
        extra = ("groups",) if "groups" in (told.get("scopes_supported") or ()) else ()
        return OAuth2Client(
            self._configured.client_id,
            secret,
            token_endpoint_auth_method="client_secret_post" if posted else None,
            scope=" ".join((*SCOPES, *extra)),
            redirect_uri=back,
            code_challenge_method="S256",
            timeout=LIMIT_S,
        )

    # --- what it says of itself --------------------------------------------------------

    def _told(self) -> Claims:
        if self._metadata is None or not self._metadata.is_fresh(KEEP_S):
            told = self._fetched(f"{self.issuer}/.well-known/openid-configuration")
            if not all(isinstance(told.get(each), str) for each in NEEDED):
                raise self._useless("is no OpenID Connect provider")
            if not self.is_issuer(told["issuer"]):
                raise self._useless(f"calls itself {told['issuer']}")
            self._metadata = _Said(told, time.monotonic())
        return self._metadata.told

    def _key_set(self, told: Claims, *, anew: bool = False) -> KeySet:
        life_s = REFETCH_S if anew else KEEP_S
        if self._keys is None or not self._keys.is_fresh(life_s):
            self._keys = _Said(self._fetched(told["jwks_uri"]), time.monotonic())
        try:
            return KeySet.import_key_set(self._keys.told)  # type: ignore[arg-type]  # as fetched
        except (JoseError, ValueError, KeyError, TypeError) as error:
            raise self._useless("shows keys that cannot be read") from error

    def _fetched(self, url: str) -> dict[str, Any]:
        def fetch() -> Any:
            return httpx2.get(url, timeout=LIMIT_S).raise_for_status().json()

        found = self._asked(fetch)
        if not isinstance(found, dict):
            raise self._useless("answers in another form")
        return found

    def _asked(self, ask: Callable[[], Answer]) -> Answer:
        try:
            return ask()
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise self._useless(f"did not answer ({type(error).__name__})") from error
        except ValueError as error:  # not JSON
            raise self._useless("answers in another form") from error

    def _useless(self, what: str) -> ProviderError:
        return ProviderError(
            f"The sign-in service {self.issuer} {what}. Sign in with a password or a link, and tell"
            " an admin."
        )

    # --- its word ----------------------------------------------------------------------

    def _checked(self, told: Claims, token: Mapping[str, Any], flow: Flow) -> Claims:
        try:
            signed = self._opened(told, token["id_token"])
            claims = CodeIDToken(
                signed.claims,
                signed.header,
                {
                    "iss": {"essential": True, "value": told["issuer"]},
                    "aud": {"essential": True, "value": self._configured.client_id},
                },
                {
                    "nonce": flow.nonce,
                    "client_id": self._configured.client_id,
                    "access_token": token.get("access_token"),
                },
            )
            claims.validate(leeway=CLOCKS_S)
        except ExpiredTokenError as error:
            raise DeniedError(
                f"The word of {self.issuer} is too old. Start again; if that does not help, compare"
                " the clocks of both machines."
            ) from error
        except (JoseError, ValueError, TypeError) as error:
            raise DeniedError(
                f"The word of {self.issuer} does not hold ({_cause(error)}). Nobody was signed in."
            ) from error
        return dict(claims)

    def _opened(self, told: Claims, token: str) -> jwt.Token:
        registry = JWSRegistry(algorithms=SIGNATURES, strict_check_header=False)
        try:
            return jwt.decode(token, self._key_set(told), registry=registry)
        except (JoseError, ValueError):  # signed with a key that is newer than ours, perhaps
            return jwt.decode(token, self._key_set(told, anew=True), registry=registry)


def _cause(error: Exception) -> str:
    """Return which check failed, for whoever must look into it; nothing out of the token."""
    named = re.fullmatch(r"[a-z_]+", str(getattr(error, "claim", "") or ""))
    return named[0] if named else type(error).__name__
