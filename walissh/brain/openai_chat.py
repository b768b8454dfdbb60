"""A model behind any server that speaks OpenAI's chat completions, streamed.

One attempt per call, on an event loop of its own in the caller's thread: so a cancel or a
limit ends it at any point (name lookup, connect, headers, between chunks) and closes the
connection, and no second thread is left behind.
"""

import asyncio
import functools
import json
import logging
import ssl
from collections.abc import Callable, Coroutine
from typing import Final
from urllib.parse import urlsplit

import httpx2
import openai

from walissh.brain import openai_errors, openai_request
from walissh.brain.openai_attempt import Attempt
from walissh.clock import Clock, utc_now
from walissh.errors import ModelRefusedError, SettingsError, TurnCancelledError
from walissh.react.turn import Reply, Request

logger = logging.getLogger(__name__)

OPENAI_URL = "https://api.openai.com/v1"
NO_KEY = "not-needed"  # local servers want none, the client insists on one
POLL_S = 0.2
CONNECT_LIMIT_S = 10.0
_END: Final = object()

OnText = Callable[[str], None]


class OpenAIChat:
    """Implements ``react.needs.Model`` on the ``openai`` client."""

    def __init__(
        self,
        model: str,
        *,
        api_key: str,
        base_url: str | None,
        temperature: float | None,
        first_token_limit_s: float,
        now: Clock = utc_now,
    ) -> None:
        """Check the values; connect nowhere. Raises SettingsError on a malformed one.

        *first_token_limit_s* counts from the request to the first text, thought or call,
        and again between chunks. *api_key* may be "" for servers that want none.
        """
        _check(api_key, base_url or OPENAI_URL)
        self._server = openai_errors.Server(model, base_url or OPENAI_URL, api_key.strip())
        self._temperature = temperature
        self._limit_s = first_token_limit_s
        self._now = now
        self._left_out: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The model's name as shown to people."""
        return self._server.model

    def complete(
        self, request: Request, *, on_text: OnText, cancelled: Callable[[], bool]
    ) -> Reply:
        """Answer *request*; see ``react.needs.Model.complete``.

        A field that the server refuses by name (temperature, stream_options) is left out
        at once, and from then on: that is no second attempt at the same thing.
        """
        if cancelled():
            raise TurnCancelledError("The turn was stopped.")
        attempt = Attempt(request, self._server, on_text, limit_s=self._limit_s)
        return _run(_watch(self._exchange(attempt), attempt, cancelled))

    async def _exchange(self, attempt: Attempt) -> Reply:
        async with self._client() as client:
            stream = await self._open(client, attempt)
            if _is_whole(stream.response, self._server):
                attempt.take(await self._read_whole(stream.response))
            else:
                await self._read(stream, attempt)
        return attempt.conclude()

    async def _open(
        self, client: openai.AsyncOpenAI, attempt: Attempt
    ) -> openai.AsyncStream[object]:
        while True:
            left_out = self._left_out  # another thread may add to it meanwhile
            try:
                return await self._post(client, attempt.request, left_out)
            except openai.APIStatusError as error:
                refused = openai_errors.refused_field(error)
                if not refused or refused in left_out:
                    raise openai_errors.translate(error, self._server, self._now) from error
                logger.info("model=%s refuses %s: left out from now on", self.name, refused)
                self._left_out |= {refused}
            except openai.APIError as error:
                raise openai_errors.translate(error, self._server, self._now) from error

    async def _post(
        self, client: openai.AsyncOpenAI, request: Request, left_out: frozenset[str]
    ) -> openai.AsyncStream[object]:
        # plain JSON instead of the client's models: they raise AttributeError on fields
        # that compatible servers leave out
        return await client.post(
            "/chat/completions",
            body=openai_request.body(
                self.name, request, temperature=self._temperature, left_out=left_out
            ),
            cast_to=object,
            stream=True,
            stream_cls=openai.AsyncStream[object],
        )

    async def _read(self, stream: openai.AsyncStream[object], attempt: Attempt) -> None:
        async with stream:
            while (chunk := await self._next(stream, attempt)) is not _END:
                attempt.take(chunk)

    async def _next(self, stream: openai.AsyncStream[object], attempt: Attempt) -> object:
        try:
            return await anext(stream, _END)
        except (openai.APIError, ValueError, RecursionError) as error:  # not JSON, not UTF-8
            if attempt.is_complete:
                return _END
            raise openai_errors.translate(
                error, self._server, self._now, attempt.partial
            ) from error

    async def _read_whole(self, response: httpx2.Response) -> object:
        try:
            body = json.loads(await response.aread())
        except (httpx2.RequestError, ValueError, RecursionError) as error:
            raise openai_errors.translate(error, self._server, self._now) from error
        if isinstance(body, dict) and body.get("error"):
            refusal = openai.APIError("", response.request, body=body["error"])
            raise openai_errors.translate(refusal, self._server, self._now)
        return body

    def _client(self) -> openai.AsyncOpenAI:
        limits = openai.Timeout(None, connect=min(CONNECT_LIMIT_S, self._limit_s))
        return openai.AsyncOpenAI(
            api_key=self._server.key or NO_KEY,
            base_url=self._server.url,
            max_retries=0,
            timeout=limits,
            http_client=openai.DefaultAsyncHttpxClient(verify=_tls(), timeout=limits),
        )


@functools.cache
def _tls() -> ssl.SSLContext:
    return httpx2.create_ssl_context()  # 50 ms: once, not per call


async def _watch(
    work: Coroutine[object, object, Reply], attempt: Attempt, cancelled: Callable[[], bool]
) -> Reply:
    """Await *work*, looking up every POLL_S seconds for a cancel and for a late server."""
    task = asyncio.ensure_future(work)
    try:
        while not task.done():
            await asyncio.wait({task}, timeout=POLL_S)
            if not task.done() and cancelled():
                raise TurnCancelledError("The turn was stopped.")
            if not task.done() and attempt.is_late:
                return attempt.make_do()
        return task.result()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _run(work: Coroutine[object, object, Reply]) -> Reply:
    # not asyncio.run: that waits for the resolver's thread, so a name server that never
    # answers would hold up a cancel
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(work)
    finally:
        _wind_up(loop)


def _wind_up(loop: asyncio.AbstractEventLoop) -> None:
    # tasks are left only when a job's time limit was raised in the middle of the loop
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        loop.run_until_complete(asyncio.wait(left, timeout=POLL_S))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


def _is_whole(response: httpx2.Response, server: openai_errors.Server) -> bool:
    """Tell whether the server answers in one piece although a stream was asked for."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "text/html":
        raise ModelRefusedError(
            server.sentence("answered with a web page", advice="Check OPENAI_BASE_URL.")
        )
    return kind == "application/json"


def _check(api_key: str, url: str) -> None:
    # neither value is repeated: both may hold a secret
    if not all("!" <= char <= "~" for char in api_key.strip()):
        raise SettingsError("OPENAI_API_KEY is not valid: it holds characters that no key has")
    try:
        parts = urlsplit(url)
        is_valid = bool(parts.hostname) and parts.port != 0 and url.isprintable()
    except ValueError:
        is_valid = False
    if not is_valid or " " in url:
        raise SettingsError("OPENAI_BASE_URL is not valid: use http://HOST:PORT/v1")
