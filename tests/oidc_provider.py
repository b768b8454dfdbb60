"""A small OpenID Connect provider on a real socket: discovery, keys, codes, tokens.

It signs in whoever comes, as the person that the test set, and checks what a provider
must: the client, the redirect, PKCE, and that a code is used once. *spoil* changes what it
signs, as a broken or hostile provider would.
"""

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "walissh-test", "secret-of-the-client"
Claims = dict[str, Any]
Document = dict[str, Any]


def same(claims: Claims) -> Claims:
    """Change nothing."""
    return claims


@dataclass
class Provider:
    """What the provider knows; *asked* are the requests for tokens, as it got them."""

    url: str = ""
    person: Claims = field(default_factory=lambda: {"sub": "s-1", "preferred_username": "ann"})
    spoil: Callable[[Claims], Claims] = same
    document: Document = field(default_factory=dict)
    key: RSAKey = field(default_factory=lambda: new_key("k1"))
    shown: RSAKey | None = None
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    asked: list[dict[str, str]] = field(default_factory=list)

    def told(self) -> Document:
        """Return the document of discovery."""
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/keys",
            **self.document,
        }

    def keys(self) -> Document:
        """Return the public keys."""
        return {"keys": [(self.shown or self.key).as_dict(private=False)]}

    def authorize(self, query: dict[str, str]) -> str:
        """Sign the person in and return where the browser is sent."""
        code = f"code-{secrets.token_hex(8)}"
        self.codes[code] = query
        back = {"code": code, "state": query["state"], "iss": self.url}
        return f"{query['redirect_uri']}?{urlencode(back)}"

    def token(self, form: dict[str, str], authorization: str) -> tuple[int, Document]:
        """Return the answer to a code: once, to its client, with its verifier."""
        self.asked.append(form)
        query = self.codes.pop(form.get("code", ""), None)
        if authorization != _basic(CLIENT, SECRET):
            return 401, {"error": "invalid_client"}
        if query is None or form["redirect_uri"] != query["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        if challenge(form.get("code_verifier", "")) != query["code_challenge"]:
            return 400, {"error": "invalid_grant"}
        return 200, {"access_token": "a", "token_type": "Bearer", "id_token": self._signed(query)}

    def _signed(self, query: dict[str, str]) -> str:
        now = int(time.time())
        times = {"iat": now, "exp": now + 300}
        whole = {"iss": self.url, "aud": CLIENT, "nonce": query["nonce"], **times, **self.person}
        header = {"alg": "RS256", "kid": self.key.kid or ""}
        return jwt.encode(header, self.spoil(whole), self.key)


def new_key(name: str) -> RSAKey:
    """Return a key of that id."""
    return RSAKey.generate_key(2048, {"kid": name})


def challenge(verifier: str) -> str:
    """Return what PKCE sends ahead of *verifier*."""
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def _basic(name: str, secret: str) -> str:
    return "Basic " + base64.b64encode(f"{name}:{secret}".encode()).decode()


def _flat(query: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(query).items()}


@contextmanager
def running(provider: Provider) -> Iterator[Provider]:
    """Serve *provider* on a free port of loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            address = urlsplit(self.path)
            if address.path == "/authorize":
                self.send_response(302)
                self.send_header("Location", provider.authorize(_flat(address.query)))
                self.end_headers()
                return
            known = {"/.well-known/openid-configuration": provider.told, "/keys": provider.keys}
            found = known.get(address.path)
            self._answer(200 if found else 404, found() if found else {})

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            form = _flat(self.rfile.read(length).decode())
            self._answer(*provider.token(form, self.headers.get("Authorization", "")))

        def _answer(self, status: int, told: Document) -> None:
            body = json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        provider.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield provider
        finally:
            server.shutdown()
            thread.join()
