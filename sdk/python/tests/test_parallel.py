"""50 parallel calls of a wallet that can pay 20, by threads and by tasks, on a running service and its chain."""

from __future__ import annotations

import asyncio
import unittest
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import List

from service import SITE, URL, WALLET_KEY

from turnpike_edge import AsyncTurnpike, Turnpike, Wallet, errors

CALLS, PAID = 50, 20
LIMIT = Decimal("0.2")


class TestParallel(unittest.TestCase):
    def setUp(self) -> None:
        self.wallet = Wallet(WALLET_KEY, max_spend=LIMIT)

    def check(self, transactions: List[str]) -> None:
        self.assertEqual(len([transaction for transaction in transactions if transaction]), PAID)
        self.assertEqual((self.wallet.spent, self.wallet.left), (LIMIT, 0))

    def test_threads(self) -> None:
        with Turnpike(base_url=URL, wallet=self.wallet) as client, ThreadPoolExecutor(CALLS) as pool:

            def buy(_: int) -> str:
                try:
                    return client.scrape(SITE).call.transaction or ""
                except errors.SpendingCapError:
                    return ""

            self.check(list(pool.map(buy, range(CALLS))))

    def test_tasks(self) -> None:
        async def buy(client: AsyncTurnpike) -> str:
            try:
                return (await client.scrape(SITE)).call.transaction or ""
            except errors.SpendingCapError:
                return ""

        async def buy_all() -> List[str]:
            async with AsyncTurnpike(base_url=URL, wallet=self.wallet) as client:
                return await asyncio.gather(*(buy(client) for _ in range(CALLS)))

        self.check(asyncio.run(buy_all()))


if __name__ == "__main__":
    unittest.main()
