"""Every method of the async client at a running service. The tests of the sync client are generated from this file by generate.py."""

from __future__ import annotations

import time
import unittest
from decimal import Decimal
from typing import Any, List
from unittest import mock

from service import KEY, SITE, TITLE, URL, WALLET_KEY

from turnpike_edge import APIError, AsyncTurnpike, Wallet, errors, types, webhooks


class WithKey(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.client = AsyncTurnpike(base_url=URL, key=KEY)

    async def asyncTearDown(self) -> None:
        await self.client.aclose()

    async def test_scrapes(self) -> None:
        scrape = await self.client.scrape(SITE, formats=["markdown", "text"], metadata={"order": "A-17"})
        self.assertIn(TITLE, scrape.result.markdown_content or "")
        self.assertEqual(scrape.call.credits, 1)
        self.assertTrue(scrape.call.request_id)
        self.assertEqual((await self.client.scrapes.get(scrape)).metadata, {"order": "A-17"})
        again = await self.client.retrieve(scrape, formats=["text"])
        self.assertIn(TITLE, again.text_content or "")
        self.assertIsNone(again.markdown_content)
        page = await self.client.read(SITE)
        self.assertIn(TITLE, page)
        self.assertEqual(page.call.credits, 1)

    async def test_replay(self) -> None:
        key = f"replay-{time.time_ns()}"
        first = await self.client.scrape(SITE, idempotency_key=key)
        second = await self.client.scrape(SITE, idempotency_key=key)
        self.assertEqual(first.id, second.id)
        self.assertTrue(second.call.replayed)
        self.assertEqual(second.call.credits, 0)
        with self.assertRaises(errors.InvalidRequestError) as refused:
            await self.client.scrape(SITE + "?page=2", idempotency_key=key)
        self.assertEqual(refused.exception.code, "idempotency_key_reuse")

    async def test_maps(self) -> None:
        found = await self.client.map(SITE, top_n=3)
        self.assertEqual(len(found.urls), 3)
        self.assertEqual([url async for url in self.client.maps.urls(found)], found.urls)
        self.assertEqual((await self.client.maps.get(found)).id, found.id)

    async def test_crawls(self) -> None:
        crawl = await self.client.crawl(SITE, max_pages=5, record=True, scrape_options={"formats": ["markdown"]})
        crawl = await self.client.crawls.wait(crawl, timeout=60)
        self.assertEqual((crawl.status, crawl.outcome, crawl.credits_consumed), ("completed", "succeeded", 5))
        pages = [page async for page in self.client.crawls.pages(crawl, page_size=2)]
        self.assertEqual(len({page.url for page in pages}), 5)
        self.assertTrue((await self.client.retrieve(pages[0])).markdown_content)
        warc = b"".join([part async for part in self.client.crawls.warc(crawl)])
        self.assertGreater(len(warc), 100)
        self.assertIn(crawl.id, [one.id async for one in self.client.crawls.list(page_size=1)])
        endless = await self.client.crawl(SITE, max_pages=5, max_depth=0)
        self.assertLessEqual(len([page async for page in self.client.crawls.pages(endless)]), 1)  # ends although the crawl may not have
        self.assertEqual((await self.client.crawls.cancel(endless)).status, "completed")

    async def test_batches(self) -> None:
        batch = await self.client.batch([SITE, {"url": SITE + "?page=2", "custom_id": "second"}, "http://missing.invalid/"], formats=["markdown"])
        with self.assertRaises(errors.WaitTimeoutError):
            await self.client.batches.wait(batch, timeout=-1)
        batch = await self.client.batches.wait(batch, timeout=60)
        items = [item async for item in self.client.batches.items(batch, page_size=1)]
        self.assertEqual({item.custom_id for item in items}, {"1", "second", "3"})
        updated = await self.client.batches.update(batch, metadata={"run": 7})
        self.assertEqual(updated.metadata, {"run": "7"})
        self.assertEqual((await self.client.batches.get(batch.id)).metadata, {"run": "7"})
        self.assertIn(batch.id, [one.id async for one in self.client.batches.list(status="completed")])
        self.assertEqual((await self.client.quotes.retry(batch)).credits, batch.failed_urls)
        self.assertEqual((await self.client.batches.retry(batch)).id, batch.id)
        await self.client.batches.wait(batch, timeout=60)
        self.assertEqual((await self.client.batches.cancel(batch)).status, "completed")

    async def test_searches_and_answers(self) -> None:
        await self.client.scrape(SITE)
        search = await self.client.search(TITLE, limit=3)
        self.assertEqual((await self.client.searches.get(search)).query, TITLE)
        answer = await self.client.answer(f"What is {SITE} about?", json_format={"title": ""})
        self.assertIn("title", answer.result.json_content or "")
        self.assertEqual((await self.client.answers.get(answer)).id, answer.id)

    async def test_files(self) -> None:
        file = await self.client.files.upload([{"url": SITE}], purpose="batch", filename="items.json")
        self.assertEqual((file.status, file.items), ("completed", 1))
        self.assertEqual((await self.client.files.get(file)).filename, "items.json")
        self.assertIn("/content/", (await self.client.files.content(file)).download_url)
        self.assertIn(file.id, [one.id async for one in self.client.files.list(purpose="batch")])
        batch = await self.client.batches.wait(await self.client.batch(file_id=file.id), timeout=60)
        self.assertEqual(batch.completed_urls, 1)
        self.assertTrue((await self.client.files.delete(file)).deleted)
        with self.assertRaises(errors.InvalidRequestError) as refused:
            await self.client.files.upload(b'{"a": ]')
        self.assertEqual(refused.exception.metadata["line"], 1)

    async def test_monitors(self) -> None:
        monitor = await self.client.monitor(f"Tell me when the text of {SITE} changes", frequency="every day at 9:00")
        events = [event async for event in self.client.monitors.stream(monitor)]
        self.assertEqual((events[0].event, events[-1].event), ("phase", "complete"))
        monitor = await self.client.monitors.wait(monitor)
        self.assertEqual(monitor.status, "active")
        run = await self.client.monitors.run(monitor)
        self.assertIn(run.id, [one.id async for one in self.client.monitors.runs(monitor)])
        self.assertEqual((await self.client.monitors.get_run(monitor, run)).id, run.id)
        listed: List[types.MonitorEvent] = [event async for event in self.client.monitors.events(monitor)]
        for event in listed:
            await self.client.monitors.diff(monitor, event)
        self.assertTrue((await self.client.monitors.planning(monitor)).dag.validation.is_valid)
        self.assertTrue((await self.client.monitors.get(monitor, include_diagram=True)).mermaid_diagram)
        self.assertEqual((await self.client.monitors.pause(monitor)).status, "paused")
        self.assertEqual((await self.client.monitors.resume(monitor)).status, "active")
        self.assertEqual((await self.client.monitors.update(monitor, frequency="every hour")).schedule.frequency, "every hour")
        self.assertIn(monitor.id, [one.id async for one in self.client.monitors.list(page_size=1)])
        self.assertEqual((await self.client.monitors.delete(monitor)).monitor_id, monitor.id)
        self.assertEqual([one.id async for one in self.client.notifications.deliveries(monitor=monitor)], [])

    async def test_schedules(self) -> None:
        schedule = await self.client.schedules.create(
            method="POST", endpoint="v1/scrapes", payload={"url_to_scrape": SITE}, cron_expression="0 9 * * *"
        )
        self.assertEqual((await self.client.schedules.get(schedule.schedule_id)).state, "ENABLED")
        self.assertIn(schedule.schedule_id, [one.schedule_id async for one in self.client.schedules.list()])
        self.assertEqual((await self.client.schedules.delete(schedule.schedule_id)).state, "DELETED")

    async def test_parsers(self) -> None:
        name = f"title-{time.time_ns()}"
        parser = await self.client.parsers.create(
            name=name, fields={"title": {"css": "h1"}}, schema={"type": "object", "properties": {"title": {"type": "string"}}}
        )
        tested = await self.client.parsers.test(name, html="<h1>Tolls</h1>")
        self.assertEqual((tested.result, tested.credits_consumed), ({"title": "Tolls"}, 0))
        self.assertEqual((await self.client.parsers.get(parser)).name, name)
        self.assertEqual([one.version async for one in self.client.parsers.versions(name)], [1])
        names = [one.name async for one in self.client.parsers.list(page_size=2)]
        self.assertIn("@turnpike/article", names)
        self.assertIn(name, names)
        self.assertEqual((await self.client.parsers.get("@turnpike/article")).built_in, True)
        self.assertTrue((await self.client.parsers.delete(name)).deleted)

    async def test_account(self) -> None:
        self.assertGreater((await self.client.credits()).credits, 0)
        self.assertEqual((await self.client.usage(group_by="endpoint")).group_by, "endpoint")
        self.assertTrue((await self.client.usage()).from_)
        self.assertTrue((await self.client.pricing()).packs)
        made = await self.client.keys.create("of a test", scopes=["read"])
        self.assertNotIn(made.key or "?", repr(made))
        rotated = await self.client.keys.rotate(made, overlap_seconds=0)
        self.assertEqual(rotated.rotated_from, made.id)
        await self.client.keys.revoke(rotated)
        self.assertIn(rotated.id, [key.id async for key in self.client.keys.list()])

    async def test_webhooks(self) -> None:
        batch = await self.client.batch([SITE], webhook=SITE)
        await self.client.batches.wait(batch, timeout=60)
        deadline = time.monotonic() + 60
        delivered: List[types.WebhookDelivery] = []
        while not delivered and time.monotonic() < deadline:
            delivered = [one async for one in self.client.webhooks.deliveries(status="delivered") if one.subject == batch.id]
        self.assertEqual([one.event for one in delivered], ["event.batch.completed"])
        self.assertEqual((await self.client.webhooks.redeliver(delivered[0])).event_id, delivered[0].event_id)
        secret = await self.client.webhooks.rotate_secret()
        self.assertEqual((await self.client.webhooks.secret()).secret, secret.secret)
        self.assertNotIn(secret.secret or "?", repr(secret))
        headers = {"webhook-id": "event_1", "webhook-timestamp": str(int(time.time())), "webhook-signature": "v1,AAAA"}
        with self.assertRaises(errors.WebhookError):
            webhooks.verify(b"{}", headers, secret.secret or "")

    async def test_quotes(self) -> None:
        before = (await self.client.credits()).credits
        quotes = [
            await self.client.quotes.scrape(SITE),
            await self.client.quotes.map(SITE),
            await self.client.quotes.crawl(SITE, max_pages=7),
            await self.client.quotes.batch([SITE, SITE + "?page=2"]),
            await self.client.quotes.search(TITLE),
            await self.client.quotes.answer("What is a toll?"),
            await self.client.quotes.parser_test("@turnpike/article", url=SITE),
        ]
        self.assertEqual([quote.object for quote in quotes], ["quote"] * 7)
        self.assertEqual(quotes[2].credits, 7)
        self.assertTrue(all(quote.usd > 0 for quote in quotes))
        self.assertEqual(before, (await self.client.credits()).credits)

    async def test_errors(self) -> None:
        unknown: Any = {"colour": "red"}
        await self.refused(400, "validation_error", errors.InvalidRequestError, self.client.scrape, SITE, **unknown)
        await self.refused(404, "crawl_not_found", errors.NotFoundError, self.client.crawls.get, "crawl_0")
        await self.refused(404, None, errors.NotFoundError, self.client.monitors.get, "monitor_0")
        await self.refused(403, "blocked_address", errors.PermissionDeniedError, self.client.scrape, "http://127.0.0.1:1/")
        await self.refused(402, "credits_exhausted", errors.CreditsError, self.client.crawl, SITE, max_pages=100_000)
        stranger = AsyncTurnpike(base_url=URL, key="tp_" + "x" * 49)
        error = await self.refused(401, "invalid_api_key", errors.AuthenticationError, stranger.credits)
        self.assertNotIn("x" * 49, str(error) + repr(error) + repr(stranger))
        await stranger.aclose()

    async def refused(self, status: int, code: Any, kind: Any, call: Any, *args: Any, **options: Any) -> APIError:
        with self.assertRaises(kind) as refused:
            await call(*args, **options)
        error: APIError = refused.exception
        self.assertEqual(error.status, status)
        self.assertTrue(error.request_id)
        self.assertIn(error.request_id, str(error))
        if code:
            self.assertEqual(error.code, code)
            self.assertIn("/errors/", error.docs or "")
        return error


class WithWallet(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.client = AsyncTurnpike(base_url=URL, wallet=WALLET_KEY, max_spend="0.2")
        wallet = self.client.wallet
        assert wallet
        self.wallet: Wallet = wallet

    async def asyncTearDown(self) -> None:
        await self.client.aclose()

    async def test_paying(self) -> None:
        scrape = await self.client.scrape(SITE, formats=["markdown"])
        self.assertIn(TITLE, scrape.result.markdown_content or "")
        self.assertEqual(scrape.call.usdc, Decimal("0.01"))
        self.assertRegex(scrape.call.transaction or "", "^0x[0-9a-f]{64}$")
        self.assertEqual((self.wallet.spent, self.wallet.left), (Decimal("0.01"), Decimal("0.19")))
        self.assertIn(TITLE, (await self.client.retrieve(scrape)).markdown_content or "")
        crawl = await self.client.crawl(SITE, max_pages=3)
        self.assertEqual(crawl.call.usdc, Decimal("0.015"))
        self.assertEqual((await self.client.crawls.wait(crawl, timeout=60)).outcome, "succeeded")
        self.assertEqual(len([page async for page in self.client.crawls.pages(crawl)]), 3)
        self.assertIn(TITLE, await self.client.read(SITE))
        self.assertEqual(self.wallet.spent, Decimal("0.035"))

    async def test_replay(self) -> None:
        key = f"replay-{time.time_ns()}"
        first = await self.client.scrape(SITE, idempotency_key=key)
        second = await self.client.scrape(SITE, idempotency_key=key)
        self.assertEqual(first.id, second.id)
        self.assertIsNone(second.call.usdc)
        self.assertEqual(first.call.usdc, self.spent_later())

    async def test_quotes(self) -> None:
        self.assertEqual((await self.client.quotes.scrape(SITE)).usd, 0.01)
        self.assertEqual((await self.client.quotes.crawl(SITE, max_pages=100)).usd, 0.5)
        self.assertEqual(self.wallet.spent, 0)

    async def test_limits(self) -> None:
        with self.assertRaisesRegex(errors.SpendingCapError, "max_per_call is 1"):
            await self.client.crawl(SITE, max_pages=201)
        with self.assertRaisesRegex(errors.SpendingCapError, "0.2 of max_spend 0.2 are left"):
            await self.client.crawl(SITE, max_pages=41)
        self.assertEqual(self.wallet.spent, 0)

    async def test_failures_count_until_their_payments_expire(self) -> None:
        with self.assertRaises(errors.PermissionDeniedError):
            await self.client.scrape("http://127.0.0.1:1/")
        self.assertEqual(self.wallet.spent, Decimal("0.01"))
        self.assertEqual(self.spent_later(), 0)

    def spent_later(self) -> Decimal:
        with mock.patch("turnpike_edge._wallet.time.time", return_value=time.time() + 3600):
            return self.wallet.spent

    async def test_poor_wallet(self) -> None:
        poor = AsyncTurnpike(base_url=URL, wallet="0x" + "7" * 64, max_spend=1)
        with self.assertRaises(errors.PaymentError) as refused:
            await poor.scrape(SITE)
        self.assertEqual(refused.exception.reason, "insufficient_funds")
        self.assertNotIn("7" * 64, str(refused.exception) + repr(poor) + repr(poor.wallet))
        await poor.aclose()


if __name__ == "__main__":
    unittest.main()
