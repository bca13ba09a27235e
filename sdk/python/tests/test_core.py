"""What the clients do when things go wrong, without a service."""

from __future__ import annotations

import asyncio
import base64
import dataclasses
import io
import json
import time
import traceback
import unittest
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional
from unittest import mock

import httpx

import turnpike_edge
from turnpike_edge import AsyncTurnpike, Turnpike, Wallet, errors, types, webhooks

KEY = "tp_" + "k" * 49
URL = "https://api.example.com"
SCRAPE = {"id": "scrape_1", "object": "scrape", "retrieve_id": "r1", "result": {"markdown_content": "# Tolls"}, "new_field": 1}
OFFER = {
    "scheme": "exact", "network": "eip155:84532", "amount": "10000", "asset": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
    "payTo": "0x209693Bc6afc0C5328bA36FaF03C514EF312287C", "maxTimeoutSeconds": 60, "extra": {"name": "USDC", "version": "2"},
}  # fmt: skip

Handler = Callable[[httpx.Request], httpx.Response]


def header(value: Any) -> str:
    return base64.b64encode(json.dumps(value).encode()).decode()


def error(status: int, code: str, **headers: str) -> httpx.Response:
    body = {"object": "error", "code": code, "detail": "No.", "status": status, "type": "https://api.example.com/docs/errors/x", "metadata": {}}
    return httpx.Response(status, json=body, headers={"x-request-id": "req_1", **{k.replace("_", "-"): v for k, v in headers.items()}})


def client(handler: Handler, **options: Any) -> Turnpike:
    options = {"key": KEY, **options} if "wallet" not in options else options
    return Turnpike(base_url=URL, http_client=httpx.Client(transport=httpx.MockTransport(handler)), **options)


class Answers:
    """Answers with each of a list in turn, and keeps the requests."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.requests: List[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, httpx.Response)
        return answer


class Signer:
    """Signs nothing, but fast."""

    address = "0x" + "1" * 40

    def sign_typed_data(self, *_: Any) -> Any:
        return mock.Mock(signature=b"\x01" * 65)


class Seller:
    """Sells pages, and counts what was paid."""

    def __init__(self, after_payment: Optional[Handler] = None) -> None:
        self.paid = 0
        self.after_payment = after_payment

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if "payment-signature" not in request.headers:
            return httpx.Response(402, json={"x402Version": 1}, headers={"payment-required": header({"x402Version": 2, "accepts": [OFFER]})})
        if self.after_payment:
            return self.after_payment(request)
        self.paid += 1
        return httpx.Response(200, json=SCRAPE, headers={"payment-response": header({"success": True, "transaction": f"0x{self.paid}"})})


def spent_later(wallet: Wallet) -> Decimal:
    with mock.patch("turnpike_edge._wallet.time.time", return_value=time.time() + 3600):
        return wallet.spent


class TestTries(unittest.TestCase):
    def setUp(self) -> None:
        self.pauses: List[float] = []
        patched = mock.patch("turnpike_edge._sync.time.sleep", self.pauses.append)
        patched.start()
        self.addCleanup(patched.stop)

    def test_a_call_is_repeated_with_the_same_idempotency_key(self) -> None:
        answers = Answers(
            httpx.ConnectError("lost"), error(503, "overloaded", retry_after="7"), httpx.Response(502, text="from a proxy"),
            httpx.Response(200, json=SCRAPE, headers={"x-credits-used": "1"}),
        )  # fmt: skip
        scrape = client(answers).scrape("https://example.com/", formats=["markdown"])
        self.assertEqual((scrape.id, scrape.call.credits, scrape.call.requests), ("scrape_1", 1, 4))
        keys = {request.headers["idempotency-key"] for request in answers.requests}
        self.assertEqual(len(keys), 1)
        self.assertEqual({request.content for request in answers.requests}, {b'{"url_to_scrape": "https://example.com/", "formats": ["markdown"]}'})
        self.assertEqual(self.pauses[1], 7)
        self.assertLessEqual(self.pauses[0], 0.5)

    def test_a_running_request_is_waited_for(self) -> None:
        answers = Answers(*[error(409, "idempotency_key_in_progress", retry_after="2")] * 20, httpx.Response(200, json=SCRAPE))
        client(answers).scrape("https://example.com/")
        self.assertEqual(len(self.pauses), 20)

    def test_what_another_try_would_not_change_is_not_repeated(self) -> None:
        for answer, kind in [
            (error(400, "validation_error"), errors.InvalidRequestError), (error(401, "invalid_api_key"), errors.AuthenticationError),
            (error(409, "invalid_state"), errors.ConflictError), (error(502, "fetch_failed"), errors.FetchFailedError),
            (error(504, "request_timeout"), errors.ServerError), (error(501, "renderer_unavailable"), errors.ServerError),
            (error(429, "rate_limit_exceeded", retry_after="3600"), errors.RateLimitError),
        ]:  # fmt: skip
            with self.subTest(answer.status_code), self.assertRaises(kind) as raised:
                client(Answers(answer)).scrape("https://example.com/")
        self.assertEqual(self.pauses, [])
        limited: Any = raised.exception
        self.assertEqual((limited.retry_after, limited.request_id, limited.docs), (3600, "req_1", "https://api.example.com/docs/errors/x"))

    def test_tries_end(self) -> None:
        answers = Answers(*[httpx.ReadTimeout("slow")] * 3)
        with self.assertRaises(errors.APIConnectionError) as raised:
            client(answers, max_retries=2).scrapes.get("scrape_1")
        self.assertEqual(str(raised.exception), "GET https://api.example.com/v1/scrapes/scrape_1: ReadTimeout: slow")

    def test_no_error_shows_the_key(self) -> None:
        for answer in [httpx.ConnectError("lost"), httpx.Response(200, text="<html>"), error(401, "invalid_api_key")]:
            with self.assertRaises(errors.TurnpikeError) as raised:
                client(Answers(answer), max_retries=0).credits()
            text = io.StringIO()
            traceback.print_exception(type(raised.exception), raised.exception, raised.exception.__traceback__, file=text)
            self.assertNotIn("k" * 49, text.getvalue() + repr(raised.exception))


class TestResults(unittest.TestCase):
    def test_fields(self) -> None:
        scrape = client(Answers(httpx.Response(200, json=SCRAPE))).scrapes.get("scrape_1")
        self.assertIsInstance(scrape.result, types.ScrapeResult)
        self.assertIsNone(scrape.result.html_content)
        self.assertEqual(scrape.to_dict()["new_field"], 1)
        with self.assertRaisesRegex(AttributeError, "part of the result"):
            scrape.result.call  # noqa: B018

    def test_pages_go_on_until_there_is_no_cursor(self) -> None:
        answers = Answers(
            httpx.Response(200, json={"object": "list", "data": [{"id": "crawl_1"}], "has_more": True, "next_cursor": "c"}),
            httpx.Response(200, json={"object": "list", "data": [{"id": "crawl_2"}], "has_more": False, "next_cursor": "d"}),
        )
        crawls = list(client(answers).crawls.list(page_size=1))
        self.assertEqual([crawl.id for crawl in crawls], ["crawl_1", "crawl_2"])
        self.assertEqual([str(request.url.query, "ascii") for request in answers.requests], ["limit=1", "limit=1&cursor=c"])

    def test_a_cut_stream_goes_on_after_the_last_event(self) -> None:
        answers = Answers(
            httpx.Response(200, stream=_Cut(b'id: 1\nevent: phase\ndata: {"phase":"spec"}\n\nid: 2\nevent: pha')),
            httpx.Response(200, content=b': still here\n\nid: 2\nevent: phase\ndata: {"phase":"planning"}\n\nevent: complete\ndata: {}\n\n'),
        )
        with mock.patch("turnpike_edge._sync.time.sleep"):
            events = list(client(answers).monitors.stream("monitor_1"))
        self.assertEqual([(e.event, e.id) for e in events], [("phase", "1"), ("phase", "2"), ("complete", "2")])
        self.assertEqual(answers.requests[1].headers["last-event-id"], "1")

    def test_all_fields_of_the_types_can_be_read(self) -> None:
        for kind in vars(types).values():
            if dataclasses.is_dataclass(kind) and isinstance(kind, type):
                names = {field.name.rstrip("_") for field in dataclasses.fields(kind)}
                made = turnpike_edge._object.build(kind, {name: None for name in names})
                self.assertIn(kind.__name__, repr(made))


class _Cut(httpx.SyncByteStream):
    def __init__(self, part: bytes) -> None:
        self._part = part

    def __iter__(self) -> Any:
        yield self._part
        raise httpx.ReadError("cut")


class TestWallet(unittest.TestCase):
    def wallet(self, spend: str, **options: Any) -> Wallet:
        return Wallet(Signer(), max_spend=spend, **options)

    def test_threads_cannot_exceed_the_limit_together(self) -> None:
        seller, wallet = Seller(), self.wallet("0.2")
        buyer = client(seller, wallet=wallet)

        def buy(_: int) -> bool:
            try:
                return buyer.scrape("https://example.com/").call.usdc == Decimal("0.01")
            except errors.SpendingCapError:
                return False

        with ThreadPoolExecutor(50) as pool:
            bought = list(pool.map(buy, range(50)))
        self.assertEqual((sum(bought), seller.paid, wallet.spent, wallet.left), (20, 20, Decimal("0.2"), 0))

    def test_tasks_cannot_exceed_the_limit_together(self) -> None:
        seller, wallet = Seller(), self.wallet("0.2")

        async def buy(buyer: AsyncTurnpike) -> bool:
            try:
                return (await buyer.scrape("https://example.com/")).call.usdc is not None
            except errors.SpendingCapError:
                return False

        async def buy_all() -> List[bool]:
            http = httpx.AsyncClient(transport=httpx.MockTransport(seller))
            async with AsyncTurnpike(base_url=URL, wallet=wallet, http_client=http) as buyer:
                return await asyncio.gather(*(buy(buyer) for _ in range(50)))

        self.assertEqual((sum(asyncio.run(buy_all())), seller.paid, wallet.spent), (20, 20, Decimal("0.2")))

    def test_a_payment_counts_unless_it_was_certainly_not_charged(self) -> None:
        refused = httpx.Response(402, json={"x402Version": 1, "error": "insufficient_funds", "message": "Too little."})
        settled = error(502, "fetch_failed", payment_response=header({"success": True, "transaction": "0x1"}))
        pending = error(503, "settlement_pending", retry_after="3600")
        for answer, spent in [
            (refused, "0"), (error(403, "blocked_address"), "0"), (error(502, "fetch_failed"), "0"), (httpx.Response(200, json=SCRAPE), "0"),
            (settled, "0.01"), (pending, "0.01"), (httpx.ReadError("lost"), "0.01"), (httpx.Response(502, text="from a proxy"), "0.01"),
        ]:  # fmt: skip
            with self.subTest(answer=answer):
                wallet = self.wallet("1")
                try:
                    client(Seller(Answers(answer)), wallet=wallet, max_retries=0).scrape("https://example.com/")
                except errors.TurnpikeError as failed:
                    self.assertNotIsInstance(failed, errors.SpendingCapError)
                self.assertEqual(wallet.spent, Decimal("0.01"))
                self.assertEqual(spent_later(wallet), Decimal(spent))

    def test_a_payment_counts_if_one_of_its_responses_was_lost(self) -> None:
        wallet = self.wallet("1")
        answers = Answers(httpx.ReadError("lost"), error(400, "validation_error"))
        with mock.patch("turnpike_edge._sync.time.sleep"), self.assertRaises(errors.InvalidRequestError):
            client(Seller(answers), wallet=wallet).scrape("https://example.com/")
        self.assertEqual(spent_later(wallet), Decimal("0.01"))

    def test_a_refused_payment(self) -> None:
        refused = httpx.Response(402, json={"x402Version": 1, "error": "insufficient_funds"}, headers={"x-request-id": "req_1"})
        with self.assertRaisesRegex(errors.PaymentError, "^the service refused the payment: 402 insufficient_funds") as raised:
            client(Seller(Answers(refused)), wallet=self.wallet("1")).scrape("https://example.com/")
        self.assertEqual((raised.exception.reason, raised.exception.request_id), ("insufficient_funds", "req_1"))

    def test_a_lost_response_is_asked_for_with_the_same_payment(self) -> None:
        answers = Answers(httpx.ReadError("lost"), httpx.Response(200, json=SCRAPE, headers={"payment-response": header({"success": True})}))
        wallet = self.wallet("1")
        with mock.patch("turnpike_edge._sync.time.sleep"):
            client(Seller(answers), wallet=wallet).scrape("https://example.com/")
        self.assertEqual(len({request.headers["payment-signature"] for request in answers.requests}), 1)
        self.assertEqual(wallet.spent, Decimal("0.01"))

    def test_payments_that_one_transaction_settles_all_count(self) -> None:
        receipt = {"payment-response": header({"success": True, "transaction": "0x1"})}
        wallet = self.wallet("1")
        buyer = client(Seller(Answers(*[httpx.Response(200, json=SCRAPE, headers=receipt)] * 3)), wallet=wallet)
        for key in ("a", "b", "a"):
            buyer.scrape("https://example.com/", idempotency_key=key)
        self.assertEqual(spent_later(wallet), Decimal("0.02"))

    def test_offers(self) -> None:
        wallet = self.wallet("5")
        changes: List[Dict[str, Any]] = [
            {"asset": "0x" + "2" * 40}, {"scheme": "upto"}, {"network": "eip155:1"}, {"extra": {}}, {"amount": "-1"}, {"amount": "1e4"},
        ]  # fmt: skip
        for change in changes:
            with self.subTest(change), self.assertRaises(errors.PaymentError):
                wallet.pay({"accepts": [{**OFFER, **change}]}, "p")
        with self.assertRaisesRegex(errors.SpendingCapError, "costs 1.000001 USDC, and max_per_call is 1"):
            wallet.pay({"accepts": [{**OFFER, "amount": "1000001"}]}, "p")
        identified = {"payment-identifier": {"info": {"required": False}, "schema": {}}, "other": {"info": {}}}
        broken = Wallet(mock.Mock(address="0x1", sign_typed_data=mock.Mock(side_effect=OSError("no device"))), max_spend=1)
        with self.assertRaises(OSError):
            broken.pay({"accepts": [OFFER]}, "p")
        self.assertEqual((wallet.spent, broken.spent), (0, 0))
        payment = wallet.pay({"accepts": [OFFER], "resource": {"url": URL}, "extensions": identified}, "p")
        said = json.loads(base64.b64decode(payment.headers()["PAYMENT-SIGNATURE"]))
        self.assertEqual((said["x402Version"], said["accepted"], said["resource"]), (2, OFFER, {"url": URL}))
        self.assertRegex(said["extensions"]["payment-identifier"]["info"]["id"], "^[0-9a-f]{32}$")
        self.assertIn("other", said["extensions"])
        self.assertNotIn(payment.headers()["PAYMENT-SIGNATURE"], repr(payment))

    def test_amounts(self) -> None:
        amounts: Dict[Any, str] = {"0.25": "0.25", 5: "5", Decimal("0.000001"): "0.000001"}
        for amount, left in amounts.items():
            self.assertEqual(self.wallet(amount).left, Decimal(left))
        wrong: List[Any] = ["0.0000001", "-1", "much", "NaN", "Infinity", True, 0.1, None]
        for amount in wrong:
            with self.subTest(amount), self.assertRaises(errors.UsageError):
                self.wallet(amount)

    def test_configuration(self) -> None:
        wrong: List[Dict[str, Any]] = [
            {"base_url": URL, "key": KEY, "wallet": Signer(), "max_spend": 1}, {"base_url": URL, "wallet": Signer()}, {"base_url": URL},
            {"key": KEY}, {"key": KEY, "base_url": "api.example.com"}, {"base_url": URL, "key": KEY, "max_spend": 1},
            {"base_url": URL, "wallet": "0x" + "s" * 64, "max_spend": 1},
        ]  # fmt: skip
        with mock.patch.dict("os.environ", clear=True):
            for options in wrong:
                with self.subTest(options), self.assertRaises(errors.UsageError) as raised:
                    Turnpike(**options)
                self.assertNotIn("s" * 64, str(raised.exception))
        with mock.patch.dict("os.environ", {"TURNPIKE_KEY": KEY, "TURNPIKE_URL": URL}):
            self.assertEqual(repr(Turnpike()), "Turnpike('https://api.example.com', key)")


class TestWebhooks(unittest.TestCase):
    # The example of the Standard Webhooks specification.
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # noqa: S105
    body = b'{"test": 2432232314}'
    headers = {
        "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330",
        "webhook-signature": "v1a,AAAA v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }  # fmt: skip

    def test_the_example_of_the_specification(self) -> None:
        for secret in (self.secret, ["whsec_AAAA", self.secret]):
            with self.assertRaisesRegex(errors.WebhookError, "signed, but is not an event"):
                webhooks.verify(self.body, self.headers, secret, now=1614265330)

    def test_events(self) -> None:
        event = {"id": "event_1", "object": "event.batch.completed", "timestamp": 1614265330123, "delivery_attempt": "1/8", "data": {"id": "batch_1"}}
        body = json.dumps(event).encode()
        signature = webhooks._sign(self.secret, b"event_1.1614265330." + body).decode()
        headers = {"webhook-id": "event_1", "webhook-timestamp": "1614265330", "webhook-signature": f"v1,{signature}"}
        verified = webhooks.verify(body.decode(), headers, self.secret, now=1614265331)
        self.assertEqual((verified.object, verified.data), ("event.batch.completed", {"id": "batch_1"}))

    def test_refusals(self) -> None:
        for why, body, headers, secret, now in [
            ("no signature", b'{"test": 1}', self.headers, self.secret, 1614265330),
            ("no signature", self.body, self.headers, "whsec_AAAA", 1614265330),
            ("seconds off", self.body, self.headers, self.secret, 1614265330 + 301), ("seconds off", self.body, self.headers, self.secret, 0),
            ("no header 'webhook-id'", self.body, {}, self.secret, 1614265330),
            ("not a number", self.body, {**self.headers, "webhook-timestamp": "x"}, self.secret, 1614265330),
        ]:  # fmt: skip
            with self.subTest(why), self.assertRaisesRegex(errors.WebhookError, why):
                webhooks.verify(body, headers, secret, now=now)
        with self.assertRaises(errors.UsageError):
            webhooks.verify(self.body, self.headers, "whsec_?", now=1614265330)


class TestPackage(unittest.TestCase):
    def test_it_is_typed(self) -> None:
        self.assertTrue((Path(turnpike_edge.__file__).parent / "py.typed").exists())


if __name__ == "__main__":
    unittest.main()
