"""The async client. The sync one is generated from this file by generate.py."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any, AsyncIterator, Awaitable, Callable, Dict, Generic, Iterable, List, Literal, Mapping, Optional, Type, TypeVar, Union
from urllib.parse import quote

import anyio
import httpx
from typing_extensions import Unpack

from turnpike_edge import params, types
from turnpike_edge._core import DEFAULT_TIMEOUT, ContentRef, Core, Outcome, Pause, Ref, Reply, path
from turnpike_edge._events import Event, EventReader, Text
from turnpike_edge._object import Object, build
from turnpike_edge._wallet import Amount, Signer, Wallet
from turnpike_edge.errors import WaitTimeoutError

T = TypeVar("T")
R = TypeVar("R", bound=Object)

Status = Literal["in_progress", "completed"]
Items = Iterable[Union[str, params.BatchItemInput]]


class AsyncPages(Generic[T]):
    """A list that is fetched page by page while it is iterated. Each iteration begins at the first page."""

    def __init__(self, fetch: Callable[[Any], Awaitable[Any]]) -> None:
        self._fetch = fetch

    async def __aiter__(self) -> AsyncIterator[T]:
        cursor: Any = None
        while True:
            page = await self._fetch(cursor)
            whole_map = isinstance(page, types.Map)
            for item in page.urls if whole_map else page.data:
                yield item
            # A list to which more may be added later has a next cursor on its last page, too.
            cursor = page.cursor if whole_map else page.next_cursor if page.has_more else None
            if cursor is None:
                return


class AsyncTurnpike:
    """A client of the web data service for asyncio.

    Args:
        key: an API key. Default: the environment variable TURNPIKE_KEY.
        wallet: pays each call with USDC instead: a Wallet, or a private key or an account of eth-account together with max_spend.
        max_spend: the most USDC that the wallet may spend through this client.
        max_per_call: the most USDC that one call may spend.
        base_url: the address of the service. Default: the environment variable TURNPIKE_URL.
        timeout: the seconds that a try may take, or an httpx.Timeout.
        max_retries: how many further tries a call makes when it fails in a way that may pass.
        http_client: an httpx client to use, for proxies and certificates. It is not closed with this one.
    """

    def __init__(
        self, *, key: Optional[str] = None, wallet: Union[Wallet, Signer, str, None] = None, max_spend: Optional[Amount] = None,
        max_per_call: Amount = "1", base_url: Optional[str] = None, timeout: Union[float, httpx.Timeout] = DEFAULT_TIMEOUT,
        max_retries: int = 3, http_client: Optional[httpx.AsyncClient] = None,
    ) -> None:  # fmt: skip
        self._core = Core(key, Wallet.of(wallet, max_spend, max_per_call), base_url, max_retries)
        self._http = http_client or httpx.AsyncClient(timeout=timeout, limits=httpx.Limits(max_connections=200, max_keepalive_connections=50))
        self._owned = http_client is None
        self.scrapes = AsyncScrapes(self)
        self.maps = AsyncMaps(self)
        self.crawls = AsyncCrawls(self)
        self.batches = AsyncBatches(self)
        self.searches = AsyncSearches(self)
        self.answers = AsyncAnswers(self)
        self.monitors = AsyncMonitors(self)
        self.schedules = AsyncSchedules(self)
        self.parsers = AsyncParsers(self)
        self.files = AsyncFiles(self)
        self.webhooks = AsyncWebhooks(self)
        self.notifications = AsyncNotifications(self)
        self.keys = AsyncKeys(self)
        self.quotes = AsyncQuotes(self)

    async def __aenter__(self) -> AsyncTurnpike:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        if self._owned:
            await self._http.aclose()

    def __repr__(self) -> str:
        return f"AsyncTurnpike({self._core.base_url!r}, {self._core.wallet or 'key'})"

    @property
    def wallet(self) -> Optional[Wallet]:
        """The wallet that pays, with what it has spent and what is left."""
        return self._core.wallet

    async def scrape(self, url: str, *, idempotency_key: Optional[str] = None, **options: Unpack[params.ScrapeOptions]) -> types.Scrape:
        """Reads a page. The content is in the result's `result`."""
        return await self._buy(types.Scrape, "/v1/scrapes", {"url_to_scrape": url, **options}, idempotency_key)

    async def read(self, url: str) -> Text:
        """Reads a page as markdown."""
        reply = await self._send("GET", "/v1/read/" + quote(url, safe=""), priced=True)
        text = Text(reply.response.text)
        text.call = reply.info
        return text

    async def map(self, url: str, *, idempotency_key: Optional[str] = None, **options: Unpack[params.MapOptions]) -> types.Map:
        """Finds the URLs of a site. maps.urls iterates over all of them if there are more than one response has."""
        return await self._buy(types.Map, "/v1/maps", {"url": url, **options}, idempotency_key)

    async def crawl(self, url: str, *, idempotency_key: Optional[str] = None, **options: Unpack[params.CrawlOptions]) -> types.Crawl:
        """Starts a crawl of a site. crawls.wait waits for its end, and crawls.pages iterates over its pages."""
        return await self._buy(types.Crawl, "/v1/crawls", {"start_url": url, **options}, idempotency_key)

    async def batch(
        self, items: Optional[Items] = None, *, idempotency_key: Optional[str] = None, **options: Unpack[params.BatchOptions]
    ) -> types.Batch:
        """Starts to scrape many pages: URLs, or items with an id of yours. batches.wait waits for its end."""
        return await self._buy(types.Batch, "/v1/batches", _batch(items, options), idempotency_key)

    async def search(self, query: str, *, idempotency_key: Optional[str] = None, **options: Unpack[params.SearchOptions]) -> types.Search:
        """Searches the web."""
        return await self._buy(types.Search, "/v1/searches", {"query": query, **options}, idempotency_key)

    async def answer(self, task: str, *, idempotency_key: Optional[str] = None, **options: Unpack[params.AnswerOptions]) -> types.Answer:
        """Answers a question from the web, with sources."""
        return await self._buy(types.Answer, "/v1/answers", {"task": task, **options}, idempotency_key)

    async def monitor(self, query: str, *, idempotency_key: Optional[str] = None, **options: Unpack[params.MonitorOptions]) -> types.Monitor:
        """Creates a monitor. monitors.wait waits until it is planned, and monitors.stream reports how it is planned."""
        return await self._post(types.Monitor, "/v1/monitors", {"query": query, **options}, idempotency_key)

    async def retrieve(
        self, content: ContentRef, *, formats: Optional[List[Literal["html", "markdown", "text", "json"]]] = None
    ) -> types.ScrapeRetrieved:
        """Reads stored content again: of a scrape, a page of a crawl, an item of a batch, or a retrieve_id."""
        identity = content if isinstance(content, str) else content.retrieve_id
        return await self._get(types.ScrapeRetrieved, "/v1/retrieve", {"retrieve_id": identity, "formats": formats})

    async def credits(self) -> types.AccountInfo:
        """Returns the team's credits."""
        return await self._get(types.AccountInfo, "/user/credits/info")

    async def usage(
        self, *, since: Optional[str] = None, until: Optional[str] = None, group_by: Optional[Literal["day", "endpoint", "key"]] = None
    ) -> types.AccountUsage:
        """Returns the credits that the team has used. Times are UTC dates or RFC 3339."""
        return await self._get(types.AccountUsage, "/user/usage", {"from": since, "to": until, "group_by": group_by})

    async def pricing(self) -> types.PricingAnswer:
        """Returns the prices of the service."""
        return await self._get(types.PricingAnswer, "/pricing")

    async def _send(self, method: str, path: str, **arguments: Any) -> Reply:
        steps = self._core.exchange(method, path, **arguments)
        outcome: Outcome = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as done:
                reply: Reply = done.value
                return reply
            outcome = None
            if isinstance(step, Pause):
                await anyio.sleep(step.seconds)
                continue
            request = self._http.build_request(step.method, step.url, headers=step.headers, content=step.content)
            try:
                outcome = await self._http.send(request, stream=step.stream, follow_redirects=False)
                if step.stream and not outcome.is_success:
                    await outcome.aread()
            except httpx.RequestError as error:
                outcome = error

    async def _get(self, cls: Type[R], path: str, query: Optional[Mapping[str, Any]] = None) -> R:
        return _result(cls, await self._send("GET", path, query=query))

    async def _post(self, cls: Type[R], path: str, body: Any = None, idempotency_key: Optional[str] = None) -> R:
        return _result(cls, await self._send("POST", path, body=body, idempotency_key=idempotency_key))

    async def _buy(self, cls: Type[R], path: str, body: Any, idempotency_key: Optional[str]) -> R:
        return _result(cls, await self._send("POST", path, body=body, idempotency_key=idempotency_key, priced=True))

    async def _delete(self, cls: Type[R], path: str) -> R:
        return _result(cls, await self._send("DELETE", path))

    def _pages(self, cls: Type[R], path: str, **query: Any) -> AsyncPages[Any]:
        async def fetch(cursor: Any) -> R:
            return await self._get(cls, path, {**query, "cursor": cursor})

        return AsyncPages(fetch)

    async def _until(self, read: Callable[[], Awaitable[R]], done: Callable[[R], bool], timeout: float) -> R:
        deadline, pause = time.monotonic() + timeout, 0.2
        while True:
            result = await read()
            if done(result):
                return result
            left = deadline - time.monotonic()
            if left <= 0:
                raise WaitTimeoutError(f"it has not ended in {timeout:g} seconds: {result!r}")
            await anyio.sleep(min(pause, left))
            pause = min(pause * 1.5, 10.0)


def _result(cls: Type[R], reply: Reply) -> R:
    return build(cls, reply.json(), reply.info)


def _batch(items: Optional[Items], options: Mapping[str, Any]) -> Dict[str, Any]:
    body = dict(options)
    if items is not None:
        body["items"] = [{"url": item} if isinstance(item, str) else item for item in items]
    return body


class _Resource:
    def __init__(self, client: AsyncTurnpike) -> None:
        self._client = client


class AsyncScrapes(_Resource):
    async def get(self, scrape: Ref) -> types.Scrape:
        return await self._client._get(types.Scrape, path("/v1/scrapes/{}", scrape))


class AsyncMaps(_Resource):
    async def get(self, map: Ref, *, cursor: Optional[str] = None) -> types.Map:
        return await self._client._get(types.Map, path("/v1/maps/{}", map), {"cursor": cursor})

    def urls(self, map: Ref) -> AsyncPages[str]:
        """Iterates over all URLs of a map. Those that the first response did not have cost nothing more."""
        return self._client._pages(types.Map, path("/v1/maps/{}", map))


class AsyncCrawls(_Resource):
    def list(self, *, status: Optional[Status] = None, page_size: Optional[int] = None) -> AsyncPages[types.Crawl]:
        return self._client._pages(types.CrawlList, "/v1/crawls", status=status, limit=page_size)

    async def get(self, crawl: Ref) -> types.Crawl:
        return await self._client._get(types.Crawl, path("/v1/crawls/{}", crawl))

    async def wait(self, crawl: Ref, *, timeout: float = 3600) -> types.Crawl:
        """Waits until the crawl has ended. Its outcome says how."""
        return await self._client._until(lambda: self.get(crawl), lambda c: c.status == "completed", timeout)

    def pages(self, crawl: Ref, *, search_query: Optional[str] = None, page_size: Optional[int] = 100) -> AsyncPages[types.CrawlPage]:
        """Iterates over the pages that were fetched so far."""
        return self._client._pages(types.CrawlPageList, path("/v1/crawls/{}/pages", crawl), search_query=search_query, limit=page_size)

    async def cancel(self, crawl: Ref) -> types.Crawl:
        return await self._client._delete(types.Crawl, path("/v1/crawls/{}", crawl))

    async def warc(self, crawl: Ref) -> AsyncIterator[bytes]:
        """Iterates over the bytes of the crawl's WARC file, if it was made with record."""
        reply = await self._client._send("GET", path("/v1/crawls/{}/warc", crawl), stream=True)
        try:
            async for part in reply.response.aiter_bytes():
                yield part
        finally:
            await reply.response.aclose()


class AsyncBatches(_Resource):
    def list(self, *, status: Optional[Status] = None, page_size: Optional[int] = None) -> AsyncPages[types.Batch]:
        return self._client._pages(types.BatchList, "/v1/batches", status=status, limit=page_size)

    async def get(self, batch: Ref) -> types.Batch:
        return await self._client._get(types.Batch, path("/v1/batches/{}", batch))

    async def wait(self, batch: Ref, *, timeout: float = 3600) -> types.Batch:
        """Waits until the batch has ended. Its outcome says how."""
        return await self._client._until(lambda: self.get(batch), lambda b: b.status == "completed", timeout)

    def items(
        self, batch: Ref, *, status: Optional[Literal["completed", "failed"]] = None, page_size: Optional[int] = 50
    ) -> AsyncPages[types.BatchItem]:
        """Iterates over the items that have ended so far."""
        return self._client._pages(types.BatchItemList, path("/v1/batches/{}/items", batch), status=status, limit=page_size)

    async def update(self, batch: Ref, *, metadata: Mapping[str, Any]) -> types.Batch:
        """Merges metadata into the batch's. An empty value removes a key."""
        reply = await self._client._send("PATCH", path("/v1/batches/{}", batch), body={"metadata": metadata})
        return _result(types.Batch, reply)

    async def cancel(self, batch: Ref) -> types.Batch:
        return await self._client._delete(types.Batch, path("/v1/batches/{}", batch))

    async def retry(self, batch: Ref, *, idempotency_key: Optional[str] = None) -> types.Batch:
        """Scrapes the failed items again, at their price. Only for subscribers."""
        return await self._client._post(types.Batch, path("/v1/batches/{}/retry", batch), None, idempotency_key)


class AsyncSearches(_Resource):
    async def get(self, search: Ref) -> types.Search:
        return await self._client._get(types.Search, path("/v1/searches/{}", search))


class AsyncAnswers(_Resource):
    async def get(self, answer: Ref) -> types.Answer:
        return await self._client._get(types.Answer, path("/v1/answers/{}", answer))


class AsyncMonitors(_Resource):
    def list(
        self, *, status: Optional[Literal["provisioning", "active", "paused", "failed", "deleted"]] = None,
        include_deleted: Optional[bool] = None, page_size: Optional[int] = None,
    ) -> AsyncPages[types.Monitor]:  # fmt: skip
        return self._client._pages(
            types.MonitorList, "/v1/monitors", status=status, include_deleted=include_deleted, limit=page_size
        )

    async def get(self, monitor: Ref, *, include_diagram: bool = False) -> types.Monitor:
        return await self._client._get(types.Monitor, path("/v1/monitors/{}", monitor), {"include-diagram": True if include_diagram else None})

    async def wait(self, monitor: Ref, *, timeout: float = 300) -> types.Monitor:
        """Waits until the monitor is planned. Its status is then active, or failed."""
        return await self._client._until(lambda: self.get(monitor), lambda m: m.status != "provisioning", timeout)

    async def stream(self, monitor: Ref) -> AsyncIterator[Event]:
        """Iterates over the events of planning, from the first, until it is complete. A lost connection is opened again."""
        reader = EventReader()
        while not reader.complete:
            reply = await self._client._send("GET", path("/v1/monitors/{}/stream", monitor), stream=True, headers=reader.headers())
            try:
                async for line in reply.response.aiter_lines():
                    event = reader.feed(line)
                    if event:
                        yield event
            except httpx.TransportError:
                await anyio.sleep(reader.pause())
            finally:
                await reply.response.aclose()

    async def update(self, monitor: Ref, **changes: Unpack[params.MonitorUpdateRequest]) -> types.Monitor:
        return await self._client._post(types.Monitor, path("/v1/monitors/{}", monitor), changes)

    async def pause(self, monitor: Ref) -> types.Monitor:
        return await self._client._post(types.Monitor, path("/v1/monitors/{}/pause", monitor))

    async def resume(self, monitor: Ref) -> types.Monitor:
        return await self._client._post(types.Monitor, path("/v1/monitors/{}/resume", monitor))

    async def delete(self, monitor: Ref) -> types.MonitorDeleted:
        return await self._client._delete(types.MonitorDeleted, path("/v1/monitors/{}", monitor))

    async def run(self, monitor: Ref, *, idempotency_key: Optional[str] = None) -> types.MonitorRun:
        """Runs the monitor now, at the price of a run."""
        return await self._client._post(types.MonitorRun, path("/v1/monitors/{}/run", monitor), None, idempotency_key)

    def runs(self, monitor: Ref, *, page_size: Optional[int] = None) -> AsyncPages[types.MonitorRun]:
        return self._client._pages(types.MonitorRunList, path("/v1/monitors/{}/runs", monitor), limit=page_size)

    async def get_run(self, monitor: Ref, run: Ref) -> types.MonitorRun:
        return await self._client._get(types.MonitorRun, path("/v1/monitors/{}/runs/{}", monitor, run))

    def events(self, monitor: Ref, *, page_size: Optional[int] = None) -> AsyncPages[types.MonitorEvent]:
        return self._client._pages(types.MonitorEventList, path("/v1/monitors/{}/events", monitor), limit=page_size)

    async def diff(self, monitor: Ref, event: Ref) -> types.MonitorEventDiff:
        return await self._client._get(types.MonitorEventDiff, path("/v1/monitors/{}/events/{}/diff", monitor, event))

    async def planning(self, monitor: Ref) -> types.MonitorPlanning:
        return await self._client._get(types.MonitorPlanning, path("/v1/monitors/{}/planning", monitor))


class AsyncSchedules(_Resource):
    async def create(self, *, idempotency_key: Optional[str] = None, **options: Unpack[params.ScheduleRequest]) -> types.Schedule:
        """Schedules a call, which costs each time what the call costs."""
        return (await self._client._post(types.ScheduleAnswer, "/v1/schedules", options, idempotency_key)).schedule

    def list(self, *, include_deleted: Optional[bool] = None) -> AsyncPages[types.Schedule]:
        return self._client._pages(types.ScheduleList, "/v1/schedules", include_deleted=include_deleted)

    async def get(self, schedule_id: str) -> types.Schedule:
        return (await self._client._get(types.ScheduleAnswer, path("/v1/schedules/{}", schedule_id))).schedule

    async def delete(self, schedule_id: str) -> types.Schedule:
        return (await self._client._delete(types.ScheduleAnswer, path("/v1/schedules/{}", schedule_id))).schedule


class AsyncParsers(_Resource):
    async def create(self, *, idempotency_key: Optional[str] = None, **definition: Unpack[params.ParserDefinition]) -> types.Parser:
        return await self._client._post(types.Parser, "/v1/parsers", definition, idempotency_key)

    async def test(
        self, parser: Union[str, Mapping[str, Any]], *, idempotency_key: Optional[str] = None, **options: Unpack[params.ParserTestOptions]
    ) -> types.ParserTestResult:
        """Runs a parser, or the definition of one, on a page. On HTML that is given, this is free."""
        return await self._client._buy(types.ParserTestResult, "/v1/parsers/test", {"parser": parser, **options}, idempotency_key)

    def list(self, *, page_size: Optional[int] = None) -> AsyncPages[types.ParserSummary]:
        return self._client._pages(types.ParserList, "/v1/parsers", limit=page_size)

    async def get(self, parser: Ref) -> types.Parser:
        return await self._client._get(types.Parser, path("/v1/parsers/{}", parser))

    def versions(self, parser: Ref, *, page_size: Optional[int] = None) -> AsyncPages[types.ParserSummary]:
        return self._client._pages(types.ParserVersionList, path("/v1/parsers/{}/versions", parser), limit=page_size)

    async def delete(self, parser: Ref) -> types.ParserDeleted:
        return await self._client._delete(types.ParserDeleted, path("/v1/parsers/{}", parser))


class AsyncFiles(_Resource):
    async def upload(
        self, content: Union[bytes, Path, List[Any], Dict[str, Any]], *, filename: str = "upload.json",
        purpose: Literal["context", "batch"] = "context",
    ) -> types.File:  # fmt: skip
        """Creates a file, sends its content and completes it. Content that is not bytes or a path is sent as JSON."""
        raw = content if isinstance(content, bytes) else content.read_bytes() if isinstance(content, Path) else json.dumps(content).encode()
        made = await self.create(content.name if isinstance(content, Path) else filename, purpose=purpose)
        await self._client._send("PUT", made.upload_url, content=raw)
        return await self.complete(made)

    async def create(self, filename: str, *, purpose: Literal["context", "batch"] = "context") -> types.FileUpload:
        return await self._client._post(types.FileUpload, "/v1/files", {"filename": filename, "purpose": purpose})

    async def complete(self, file: Ref) -> types.File:
        return await self._client._post(types.File, path("/v1/files/{}/complete", file))

    def list(self, *, purpose: Optional[Literal["context", "batch"]] = None, page_size: Optional[int] = None) -> AsyncPages[types.File]:
        return self._client._pages(types.FileList, "/v1/files", purpose=purpose, limit=page_size)

    async def get(self, file: Ref) -> types.File:
        return await self._client._get(types.File, path("/v1/files/{}", file))

    async def content(self, file: Ref) -> types.FileDownload:
        """Returns the file with a temporary download_url."""
        return await self._client._get(types.FileDownload, path("/v1/files/{}/content", file))

    async def delete(self, file: Ref) -> types.FileDeleted:
        return await self._client._delete(types.FileDeleted, path("/v1/files/{}", file))


class AsyncWebhooks(_Resource):
    async def secret(self) -> types.WebhookSecret:
        """Returns the secret that signs the team's webhooks, for webhooks.verify of the package."""
        return await self._client._get(types.WebhookSecret, "/v1/webhooks/secret")

    async def rotate_secret(self) -> types.WebhookSecret:
        return await self._client._post(types.WebhookSecret, "/v1/webhooks/secret")

    def deliveries(
        self, *, status: Optional[Literal["pending", "delivered", "failed"]] = None, page_size: Optional[int] = None
    ) -> AsyncPages[types.WebhookDelivery]:
        return self._client._pages(types.WebhookList, "/v1/webhooks/deliveries", status=status, limit=page_size)

    async def redeliver(self, delivery: Ref) -> types.WebhookDelivery:
        return await self._client._post(types.WebhookDelivery, path("/v1/webhooks/deliveries/{}/redeliver", delivery))


class AsyncNotifications(_Resource):
    def deliveries(
        self, *, monitor: Optional[Ref] = None, page_size: Optional[int] = None,
        status: Optional[Literal["pending", "delivered", "logged", "failed", "unconfirmed", "unsubscribed"]] = None,
    ) -> AsyncPages[types.NotificationDelivery]:  # fmt: skip
        identity = monitor if monitor is None or isinstance(monitor, str) else monitor.id
        return self._client._pages(
            types.NotificationList, "/v1/notifications/deliveries", monitor_id=identity, status=status, limit=page_size
        )


class AsyncKeys(_Resource):
    def list(self) -> AsyncPages[types.AccountKey]:
        return self._client._pages(types.AccountKeyList, "/user/keys")

    async def create(self, name: str, *, idempotency_key: Optional[str] = None, **options: Unpack[params.KeyOptions]) -> types.AccountKey:
        """Creates a key. The result's `key` is shown only this once."""
        return await self._client._post(types.AccountKey, "/user/keys", {"name": name, **options}, idempotency_key)

    async def revoke(self, key: Ref) -> types.AccountKey:
        return await self._client._delete(types.AccountKey, path("/user/keys/{}", key))

    async def rotate(self, key: Ref, *, overlap_seconds: Optional[int] = None) -> types.AccountKey:
        """Replaces a key. The old one stays valid for a while."""
        body = {} if overlap_seconds is None else {"overlap_seconds": overlap_seconds}
        return await self._client._post(types.AccountKey, path("/user/keys/{}/rotate", key), body)


class AsyncQuotes(_Resource):
    """What a call would cost. Nothing is done or charged. For a wallet, usd is what it would pay, and credits is 0."""

    async def scrape(self, url: str, **options: Unpack[params.ScrapeOptions]) -> types.Quote:
        return await self._quote("/v1/scrapes", {"url_to_scrape": url, **options})

    async def map(self, url: str, **options: Unpack[params.MapOptions]) -> types.Quote:
        return await self._quote("/v1/maps", {"url": url, **options})

    async def crawl(self, url: str, **options: Unpack[params.CrawlOptions]) -> types.Quote:
        return await self._quote("/v1/crawls", {"start_url": url, **options})

    async def batch(self, items: Optional[Items] = None, **options: Unpack[params.BatchOptions]) -> types.Quote:
        return await self._quote("/v1/batches", _batch(items, options))

    async def retry(self, batch: Ref) -> types.Quote:
        return await self._quote(path("/v1/batches/{}/retry", batch), None)

    async def search(self, query: str, **options: Unpack[params.SearchOptions]) -> types.Quote:
        return await self._quote("/v1/searches", {"query": query, **options})

    async def answer(self, task: str, **options: Unpack[params.AnswerOptions]) -> types.Quote:
        return await self._quote("/v1/answers", {"task": task, **options})

    async def parser_test(self, parser: Union[str, Mapping[str, Any]], **options: Unpack[params.ParserTestOptions]) -> types.Quote:
        return await self._quote("/v1/parsers/test", {"parser": parser, **options})

    async def _quote(self, path: str, body: Any) -> types.Quote:
        reply = await self._client._send("POST", path, body=body, priced=True, quote=True)
        return build(types.Quote, self._client._core.quote(reply), reply.info)
