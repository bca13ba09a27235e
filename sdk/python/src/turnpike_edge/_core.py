"""What a call does, without doing any input or output: tries, idempotency, payment and errors.

Core.exchange yields what to send and how long to pause, and is sent what came back. The sync and the async client carry this out.
"""

from __future__ import annotations

import email.utils
import json
import os
import random
import time
import uuid
from dataclasses import dataclass
from typing import Any, Dict, Generator, List, Mapping, Optional, Protocol, Tuple, Union
from urllib.parse import quote, urlencode, urlsplit

import httpx

from turnpike_edge._object import CallInfo
from turnpike_edge._wallet import Payment, Wallet, read_header, usdc
from turnpike_edge.errors import APIConnectionError, APIError, PaymentError, TurnpikeError, UsageError, of_response

VERSION = "0.1.0"
DEFAULT_TIMEOUT = httpx.Timeout(190, connect=10)  # a page takes at most two minutes, and a payment may be settled after it
LONGEST_PAUSE = 60.0  # a longer Retry-After is the caller's to decide
IN_PROGRESS_LIMIT = 180.0  # how long the first request with an idempotency key is waited for


class HasID(Protocol):
    id: str


class HasContent(Protocol):
    retrieve_id: str


Ref = Union[str, HasID]
ContentRef = Union[str, HasContent]


def path(template: str, *refs: Ref) -> str:
    """Fills a path with ids, or with the ids of results."""
    return template.format(*(quote(r if isinstance(r, str) else r.id, safe="@") for r in refs))


@dataclass
class Request:
    method: str
    url: str
    headers: Dict[str, str]
    content: Optional[bytes]
    stream: bool


@dataclass
class Pause:
    seconds: float


@dataclass
class Reply:
    response: httpx.Response
    info: CallInfo
    challenge: Optional[Dict[str, Any]] = None

    def json(self) -> Dict[str, Any]:
        body = _body(self.response)
        if body is None:
            raise TurnpikeError(f"the response is not a JSON object: is this the address of the service? (request {self.info.request_id})")
        return body


Outcome = Union[httpx.Response, httpx.RequestError, None]
Exchange = Generator[Union[Request, Pause], Outcome, Reply]


class Core:
    def __init__(self, key: Optional[str], wallet: Optional[Wallet], base_url: Optional[str], max_retries: int) -> None:
        if key and wallet:
            raise UsageError("give key or wallet, not both: calls are paid for by one of them")
        if not wallet:
            key = key or os.environ.get("TURNPIKE_KEY")
        if not key and not wallet:
            raise UsageError("give key=, or set TURNPIKE_KEY, or give wallet=")
        base_url = base_url or os.environ.get("TURNPIKE_URL")
        if not base_url or urlsplit(base_url).scheme not in ("http", "https"):
            raise UsageError("give base_url=, or set TURNPIKE_URL: the address of the service, such as https://api.example.com")
        self._key = key
        self.wallet = wallet
        self.base_url = base_url.rstrip("/")
        self._max_retries = max_retries

    def exchange(
        self, method: str, path: str, *, query: Optional[Mapping[str, Any]] = None, body: Any = None, content: Optional[bytes] = None,
        priced: bool = False, quote: bool = False, idempotency_key: Optional[str] = None, headers: Optional[Dict[str, str]] = None,
        stream: bool = False,
    ) -> Exchange:  # fmt: skip
        purchase = idempotency_key or str(uuid.uuid4())
        sent = {"User-Agent": f"turnpike-python/{VERSION}", **(headers or {})}
        query = dict(query or {})
        if path.startswith("/"):
            if self._key:
                sent["Authorization"] = f"Bearer {self._key}"
            if method == "POST":
                sent["Idempotency-Key"] = purchase
            if quote and not self.wallet:
                query["dry_run"] = True
            path = self.base_url + ("/x402" if priced and self.wallet else "") + path
        if body is not None:
            content = json.dumps(body).encode()
        if content is not None:
            sent.setdefault("Content-Type", "application/json")
        request = Request(method, _with_query(path, query), sent, content, stream)
        payment: Optional[Payment] = None
        not_charged = True  # as each response to the payment said
        requests, tries, started = 0, 0, time.monotonic()
        while True:
            outcome = yield request
            requests, tries = requests + 1, tries + 1
            if isinstance(outcome, httpx.Response):
                if outcome.status_code == 402 and priced and self.wallet and payment is None:
                    challenge = read_header(outcome.headers.get("payment-required"))
                    if challenge and quote:
                        return Reply(outcome, _info(outcome, None, requests), challenge)
                    if challenge:
                        payment = self.wallet.pay(challenge, purchase)
                        sent.update(payment.headers())
                        tries = 0  # asking for the price is not one
                        continue
                if outcome.is_success:
                    info = _info(outcome, payment, requests)
                    if payment and not_charged and info.usdc is None:
                        payment.release()  # a replay, or free
                    return Reply(outcome, info)
            if payment:
                not_charged = not_charged and _not_charged(outcome)
            pause, patient = _pause(outcome, tries)
            if pause is None or not (
                time.monotonic() - started < IN_PROGRESS_LIMIT if patient else tries <= self._max_retries
            ):  # fmt: skip
                if payment and not_charged:
                    payment.release()
                raise _error(outcome, request, payment is not None)
            yield Pause(pause)

    def quote(self, reply: Reply) -> Dict[str, Any]:
        """Returns the quote in a reply. A wallet's price is that of the challenge."""
        if not self.wallet:
            return reply.json()
        units = int(self.wallet.offer(reply.challenge)["amount"]) if reply.challenge else 0
        return {"object": "quote", "credits": 0, "usd": float(usdc(units))}


def _with_query(url: str, query: Mapping[str, Any]) -> str:
    listed: List[Tuple[str, str]] = []
    for name, value in query.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is not None:
                listed.append((name, ("true" if one else "false") if isinstance(one, bool) else str(one)))
    return f"{url}?{urlencode(listed)}" if listed else url


def _settlement(response: httpx.Response) -> Optional[str]:
    """Returns the transaction of a payment that was charged, or None."""
    receipt = read_header(response.headers.get("payment-response"))
    return str(receipt.get("transaction")) if receipt and receipt.get("success") is True else None


def _info(response: httpx.Response, payment: Optional[Payment], requests: int) -> CallInfo:
    def number(name: str) -> Optional[int]:
        text = response.headers.get(name, "")
        return int(text) if text.isdecimal() else None

    transaction = _settlement(response) if payment else None
    paid = payment is not None and transaction is not None and payment.is_new(transaction)
    return CallInfo(
        request_id=response.headers.get("x-request-id", ""),
        credits=number("x-credits-used"),
        credits_remaining=number("x-credits-remaining"),
        usdc=payment.amount if payment and paid else None,
        transaction=transaction,
        replayed=response.headers.get("idempotent-replayed") == "true",
        requests=requests,
    )


def _body(response: httpx.Response) -> Optional[Dict[str, Any]]:
    try:
        body = response.json()
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def _code(response: httpx.Response) -> str:
    """The code of an error by the service, or "" if something between sent the response."""
    body = _body(response)
    return APIError(response.status_code, body, "").code if body else ""


def _retry_after(response: httpx.Response) -> Optional[float]:
    text = response.headers.get("retry-after", "")
    if text.isdecimal():
        return float(text)
    moment = email.utils.parsedate_tz(text)
    return max(0.0, email.utils.mktime_tz(moment) - time.time()) if moment else None


def _pause(outcome: Outcome, tries: int) -> Tuple[Optional[float], bool]:
    """Returns how long to wait before the next try, or None if another makes no sense, and whether the work is still running.

    Each request can be sent again: a POST has its idempotency key, and a payment is charged once.
    """
    backoff = min(8.0, 0.5 * 2 ** min(tries - 1, 10)) * random.uniform(0.5, 1)  # noqa: S311
    if not isinstance(outcome, httpx.Response):
        return backoff, False
    status, code = outcome.status_code, _code(outcome)
    running = status == 409 and code.endswith("_in_progress") or code == "settlement_pending"
    passing = status in (429, 500, 503) or status in (502, 504) and code in ("", "upstream_failed")
    if not running and not passing:
        return None, False
    after = _retry_after(outcome) or 0.0
    return (None if after > LONGEST_PAUSE else max(after, backoff)), running


def _not_charged(outcome: Outcome) -> bool:
    """Reports whether it is certain that a payment was not charged."""
    if not isinstance(outcome, httpx.Response) or _settlement(outcome) is not None:
        return False
    return outcome.status_code not in (409, 500, 503) and _code(outcome) != ""


def _error(outcome: Outcome, request: Request, paid: bool) -> TurnpikeError:
    if isinstance(outcome, httpx.Response):
        error = of_response(outcome.status_code, _body(outcome), outcome.headers.get("x-request-id", ""), _retry_after(outcome))
        if paid and error.status == 402:
            reason = error.code or "payment_refused"
            return PaymentError(f"the service refused the payment: {error}", reason, error.request_id)
        return error
    where = urlsplit(request.url)
    lost = APIConnectionError(f"{request.method} {where.scheme}://{where.netloc}{where.path}: {type(outcome).__name__}: {outcome}")
    lost.__cause__ = outcome
    return lost
