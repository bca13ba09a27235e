"""Calls a tool of an MCP server with the client of PyPI's x402[mcp], which pays by itself. Prints the result as JSON."""

import asyncio
import json
import os
import sys

from eth_account import Account
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client
from x402 import x402Client
from x402.mcp import x402MCPSession
from x402.mechanisms.evm import EthAccountSigner
from x402.mechanisms.evm.exact import ExactEvmScheme


async def main(url: str, tool: str, arguments: str) -> None:
    wallet = x402Client()
    wallet.register("eip155:*", ExactEvmScheme(EthAccountSigner(Account.from_key(os.environ["WALLET"]))))
    async with streamablehttp_client(url) as (reads, writes, _), ClientSession(reads, writes) as session:
        await session.initialize()
        result = await x402MCPSession(session, wallet).call_tool(tool, json.loads(arguments))
        receipt = result.payment_response
        print(json.dumps({
            "paid": result.payment_made,
            "isError": result.is_error,
            "text": result.content[0].text if hasattr(result.content[0], "text") else result.content[0]["text"],
            "transaction": receipt.transaction if receipt else "",
        }))


asyncio.run(main(*sys.argv[1:]))
