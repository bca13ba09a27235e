"""Every method of the sync client at a running service."""

# Generated from test_service_async.py by generate.py. Do not edit.

from __future__ import annotations

import time
import unittest
from decimal import Decimal
from typing import Any, List
from unittest import mock

from service import KEY, SITE, TITLE, URL, WALLET_KEY

from turnpike_edge import APIError, Turnpike, Wallet, errors, types, webhooks


class WithKey(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Turnpike(base_url=URL, key=KEY)

    def tearDown(self) -> None:
        self.client.close()

    def test_scrapes(self) -> None:
        scrape = self.client.scrape(SITE, formats=["markdown", "text"], metadata={"order": "A-17"})
        self.assertIn(TITLE, scrape.result.markdown_content or "")
        self.assertEqual(scrape.call.credits, 1)
        self.assertTrue(scrape.call.request_id)
        self.assertEqual((self.client.scrapes.get(scrape)).metadata, {"order": "A-17"})
        again = self.client.retrieve(scrape, formats=["text"])
        self.assertIn(TITLE, again.text_content or "")
        self.assertIsNone(again.markdown_content)
        page = self.client.read(SITE)
        self.assertIn(TITLE, page)
        self.assertEqual(page.call.credits, 1)

    def test_replay(self) -> None:
        key = f"replay-{time.time_ns()}"
        first = self.client.scrape(SITE, idempotency_key=key)
        second = self.client.scrape(SITE, idempotency_key=key)
        self.assertEqual(first.id, second.id)
        self.assertTrue(second.call.replayed)
        self.assertEqual(second.call.credits, 0)
        with self.assertRaises(errors.InvalidRequestError) as refused:
            self.client.scrape(SITE + "?page=2", idempotency_key=key)
        self.assertEqual(refused.exception.code, "idempotency_key_reuse")

    def test_maps(self) -> None:
        found = self.client.map(SITE, top_n=3)
        self.assertEqual(len(found.urls), 3)
        self.assertEqual([url for url in self.client.maps.urls(found)], found.urls)
        self.assertEqual((self.client.maps.get(found)).id, found.id)

    def test_crawls(self) -> None:
        crawl = self.client.crawl(SITE, max_pages=5, record=True, scrape_options={"formats": ["markdown"]})
        crawl = self.client.crawls.wait(crawl, timeout=60)
        self.assertEqual((crawl.status, crawl.outcome, crawl.credits_consumed), ("completed", "succeeded", 5))
        pages = [page for page in self.client.crawls.pages(crawl, page_size=2)]
        self.assertEqual(len({page.url for page in pages}), 5)
        self.assertTrue((self.client.retrieve(pages[0])).markdown_content)
        warc = b"".join([part for part in self.client.crawls.warc(crawl)])
        self.assertGreater(len(warc), 100)
        self.assertIn(crawl.id, [one.id for one in self.client.crawls.list(page_size=1)])
        endless = self.client.crawl(SITE, max_pages=5, max_depth=0)
        self.assertLessEqual(len([page for page in self.client.crawls.pages(endless)]), 1)  # ends although the crawl may not have
        self.assertEqual((self.client.crawls.cancel(endless)).status, "completed")

    def test_batches(self) -> None:
        batch = self.client.batch([SITE, {"url": SITE + "?page=2", "custom_id": "second"}, "http://missing.invalid/"], formats=["markdown"])
        with self.assertRaises(errors.WaitTimeoutError):
            self.client.batches.wait(batch, timeout=-1)
        batch = self.client.batches.wait(batch, timeout=60)
        items = [item for item in self.client.batches.items(batch, page_size=1)]
        self.assertEqual({item.custom_id for item in items}, {"1", "second", "3"})
        updated = self.client.batches.update(batch, metadata={"run": 7})
        self.assertEqual(updated.metadata, {"run": "7"})
        self.assertEqual((self.client.batches.get(batch.id)).metadata, {"run": "7"})
        self.assertIn(batch.id, [one.id for one in self.client.batches.list(status="completed")])
        self.assertEqual((self.client.quotes.retry(batch)).credits, batch.failed_urls)
        self.assertEqual((self.client.batches.retry(batch)).id, batch.id)
        self.client.batches.wait(batch, timeout=60)
        self.assertEqual((self.client.batches.cancel(batch)).status, "completed")

    def test_searches_and_answers(self) -> None:
        self.client.scrape(SITE)
        search = self.client.search(TITLE, limit=3)
        self.assertEqual((self.client.searches.get(search)).query, TITLE)
        answer = self.client.answer(f"What is {SITE} about?", json_format={"title": ""})
        self.assertIn("title", answer.result.json_content or "")
        self.assertEqual((self.client.answers.get(answer)).id, answer.id)

    def test_files(self) -> None:
        file = self.client.files.upload([{"url": SITE}], purpose="batch", filename="items.json")
        self.assertEqual((file.status, file.items), ("completed", 1))
        self.assertEqual((self.client.files.get(file)).filename, "items.json")
        self.assertIn("/content/", (self.client.files.content(file)).download_url)
        self.assertIn(file.id, [one.id for one in self.client.files.list(purpose="batch")])
        batch = self.client.batches.wait(self.client.batch(file_id=file.id), timeout=60)
        self.assertEqual(batch.completed_urls, 1)
        self.assertTrue((self.client.files.delete(file)).deleted)
        with self.assertRaises(errors.InvalidRequestError) as refused:
            self.client.files.upload(b'{"a": ]')
        self.assertEqual(refused.exception.metadata["line"], 1)

    def test_monitors(self) -> None:
        monitor = self.client.monitor(f"Tell me when the text of {SITE} changes", frequency="every day at 9:00")
        events = [event for event in self.client.monitors.stream(monitor)]
        self.assertEqual((events[0].event, events[-1].event), ("phase", "complete"))
        monitor = self.client.monitors.wait(monitor)
        self.assertEqual(monitor.status, "active")
        run = self.client.monitors.run(monitor)
        self.assertIn(run.id, [one.id for one in self.client.monitors.runs(monitor)])
        self.assertEqual((self.client.monitors.get_run(monitor, run)).id, run.id)
        listed: List[types.MonitorEvent] = [event for event in self.client.monitors.events(monitor)]
        for event in listed:
            self.client.monitors.diff(monitor, event)
        self.assertTrue((self.client.monitors.planning(monitor)).dag.validation.is_valid)
        self.assertTrue((self.client.monitors.get(monitor, include_diagram=True)).mermaid_diagram)
        self.assertEqual((self.client.monitors.pause(monitor)).status, "paused")
        self.assertEqual((self.client.monitors.resume(monitor)).status, "active")
        self.assertEqual((self.client.monitors.update(monitor, frequency="every hour")).schedule.frequency, "every hour")
        self.assertIn(monitor.id, [one.id for one in self.client.monitors.list(page_size=1)])
        self.assertEqual((self.client.monitors.delete(monitor)).monitor_id, monitor.id)
        self.assertEqual([one.id for one in self.client.notifications.deliveries(monitor=monitor)], [])

    def test_schedules(self) -> None:
        schedule = self.client.schedules.create(
            method="POST", endpoint="v1/scrapes", payload={"url_to_scrape": SITE}, cron_expression="0 9 * * *"
        )
        self.assertEqual((self.client.schedules.get(schedule.schedule_id)).state, "ENABLED")
        self.assertIn(schedule.schedule_id, [one.schedule_id for one in self.client.schedules.list()])
        self.assertEqual((self.client.schedules.delete(schedule.schedule_id)).state, "DELETED")

    def test_parsers(self) -> None:
        name = f"title-{time.time_ns()}"
        parser = self.client.parsers.create(
            name=name, fields={"title": {"css": "h1"}}, schema={"type": "object", "properties": {"title": {"type": "string"}}}
        )
        tested = self.client.parsers.test(name, html="<h1>Tolls</h1>")
        self.assertEqual((tested.result, tested.credits_consumed), ({"title": "Tolls"}, 0))
        self.assertEqual((self.client.parsers.get(parser)).name, name)
        self.assertEqual([one.version for one in self.client.parsers.versions(name)], [1])
        names = [one.name for one in self.client.parsers.list(page_size=2)]
        self.assertIn("@turnpike/article", names)
        self.assertIn(name, names)
        self.assertEqual((self.client.parsers.get("@turnpike/article")).built_in, True)
        self.assertTrue((self.client.parsers.delete(name)).deleted)

    def test_account(self) -> None:
        self.assertGreater((self.client.credits()).credits, 0)
        self.assertEqual((self.client.usage(group_by="endpoint")).group_by, "endpoint")
        self.assertTrue((self.client.usage()).from_)
        self.assertTrue((self.client.pricing()).packs)
        made = self.client.keys.create("of a test", scopes=["read"])
        self.assertNotIn(made.key or "?", repr(made))
        rotated = self.client.keys.rotate(made, overlap_seconds=0)
        self.assertEqual(rotated.rotated_from, made.id)
        self.client.keys.revoke(rotated)
        self.assertIn(rotated.id, [key.id for key in self.client.keys.list()])

    def test_webhooks(self) -> None:
        batch = self.client.batch([SITE], webhook=SITE)
        self.client.batches.wait(batch, timeout=60)
        deadline = time.monotonic() + 60
        delivered: List[types.WebhookDelivery] = []
        while not delivered and time.monotonic() < deadline:
            delivered = [one for one in self.client.webhooks.deliveries(status="delivered") if one.subject == batch.id]
        self.assertEqual([one.event for one in delivered], ["event.batch.completed"])
        self.assertEqual((self.client.webhooks.redeliver(delivered[0])).event_id, delivered[0].event_id)
        secret = self.client.webhooks.rotate_secret()
        self.assertEqual((self.client.webhooks.secret()).secret, secret.secret)
        self.assertNotIn(secret.secret or "?", repr(secret))
        headers = {"webhook-id": "event_1", "webhook-timestamp": str(int(time.time())), "webhook-signature": "v1,AAAA"}
        with self.assertRaises(errors.WebhookError):
            webhooks.verify(b"{}", headers, secret.secret or "")

    def test_quotes(self) -> None:
        before = (self.client.credits()).credits
        quotes = [
            self.client.quotes.scrape(SITE),
            self.client.quotes.map(SITE),
            self.client.quotes.crawl(SITE, max_pages=7),
            self.client.quotes.batch([SITE, SITE + "?page=2"]),
            self.client.quotes.search(TITLE),
            self.client.quotes.answer("What is a toll?"),
            self.client.quotes.parser_test("@turnpike/article", url=SITE),
        ]
        self.assertEqual([quote.object for quote in quotes], ["quote"] * 7)
        self.assertEqual(quotes[2].credits, 7)
        self.assertTrue(all(quote.usd > 0 for quote in quotes))
        self.assertEqual(before, (self.client.credits()).credits)

    def test_errors(self) -> None:
        unknown: Any = {"colour": "red"}
        self.refused(400, "validation_error", errors.InvalidRequestError, self.client.scrape, SITE, **unknown)
        self.refused(404, "crawl_not_found", errors.NotFoundError, self.client.crawls.get, "crawl_0")
        self.refused(404, None, errors.NotFoundError, self.client.monitors.get, "monitor_0")
        self.refused(403, "blocked_address", errors.PermissionDeniedError, self.client.scrape, "http://127.0.0.1:1/")
        self.refused(402, "credits_exhausted", errors.CreditsError, self.client.crawl, SITE, max_pages=100_000)
        stranger = Turnpike(base_url=URL, key="tp_" + "x" * 49)
        error = self.refused(401, "invalid_api_key", errors.AuthenticationError, stranger.credits)
        self.assertNotIn("x" * 49, str(error) + repr(error) + repr(stranger))
        stranger.close()

    def refused(self, status: int, code: Any, kind: Any, call: Any, *args: Any, **options: Any) -> APIError:
        with self.assertRaises(kind) as refused:
            call(*args, **options)
        error: APIError = refused.exception
        self.assertEqual(error.status, status)
        self.assertTrue(error.request_id)
        self.assertIn(error.request_id, str(error))
        if code:
            self.assertEqual(error.code, code)
            self.assertIn("/errors/", error.docs or "")
        return error


class WithWallet(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Turnpike(base_url=URL, wallet=WALLET_KEY, max_spend="0.2")
        wallet = self.client.wallet
        assert wallet
        self.wallet: Wallet = wallet

    def tearDown(self) -> None:
        self.client.close()

    def test_paying(self) -> None:
        scrape = self.client.scrape(SITE, formats=["markdown"])
        self.assertIn(TITLE, scrape.result.markdown_content or "")
        self.assertEqual(scrape.call.usdc, Decimal("0.01"))
        self.assertRegex(scrape.call.transaction or "", "^0x[0-9a-f]{64}$")
        self.assertEqual((self.wallet.spent, self.wallet.left), (Decimal("0.01"), Decimal("0.19")))
        self.assertIn(TITLE, (self.client.retrieve(scrape)).markdown_content or "")
        crawl = self.client.crawl(SITE, max_pages=3)
        self.assertEqual(crawl.call.usdc, Decimal("0.015"))
        self.assertEqual((self.client.crawls.wait(crawl, timeout=60)).outcome, "succeeded")
        self.assertEqual(len([page for page in self.client.crawls.pages(crawl)]), 3)
        self.assertIn(TITLE, self.client.read(SITE))
        self.assertEqual(self.wallet.spent, Decimal("0.035"))

    def test_replay(self) -> None:
        key = f"replay-{time.time_ns()}"
        first = self.client.scrape(SITE, idempotency_key=key)
        second = self.client.scrape(SITE, idempotency_key=key)
        self.assertEqual(first.id, second.id)
        self.assertIsNone(second.call.usdc)
        self.assertEqual(first.call.usdc, self.spent_later())

    def test_quotes(self) -> None:
        self.assertEqual((self.client.quotes.scrape(SITE)).usd, 0.01)
        self.assertEqual((self.client.quotes.crawl(SITE, max_pages=100)).usd, 0.5)
        self.assertEqual(self.wallet.spent, 0)

    def test_limits(self) -> None:
        with self.assertRaisesRegex(errors.SpendingCapError, "max_per_call is 1"):
            self.client.crawl(SITE, max_pages=201)
        with self.assertRaisesRegex(errors.SpendingCapError, "0.2 of max_spend 0.2 are left"):
            self.client.crawl(SITE, max_pages=41)
        self.assertEqual(self.wallet.spent, 0)

    def test_failures_count_until_their_payments_expire(self) -> None:
        with self.assertRaises(errors.PermissionDeniedError):
            self.client.scrape("http://127.0.0.1:1/")
        self.assertEqual(self.wallet.spent, Decimal("0.01"))
        self.assertEqual(self.spent_later(), 0)

    def spent_later(self) -> Decimal:
        with mock.patch("turnpike_edge._wallet.time.time", return_value=time.time() + 3600):
            return self.wallet.spent

    def test_poor_wallet(self) -> None:
        poor = Turnpike(base_url=URL, wallet="0x" + "7" * 64, max_spend=1)
        with self.assertRaises(errors.PaymentError) as refused:
            poor.scrape(SITE)
        self.assertEqual(refused.exception.reason, "insufficient_funds")
        self.assertNotIn("7" * 64, str(refused.exception) + repr(poor) + repr(poor.wallet))
        poor.close()


if __name__ == "__main__":
    unittest.main()
