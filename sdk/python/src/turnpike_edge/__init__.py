"""A client of Turnpike's web data service: pages as data, paid with credits or with a wallet.

    from turnpike_edge import Turnpike

    client = Turnpike(base_url="https://api.example.com", key="tp_…")
    print(client.scrape("https://example.com/", formats=["markdown"]).result.markdown_content)
"""

from turnpike_edge import errors, params, types, webhooks
from turnpike_edge._async import AsyncPages, AsyncTurnpike
from turnpike_edge._core import VERSION as __version__
from turnpike_edge._events import Event, Text
from turnpike_edge._object import CallInfo
from turnpike_edge._sync import Pages, Turnpike
from turnpike_edge._wallet import Wallet
from turnpike_edge.errors import APIError, TurnpikeError

__all__ = [
    "APIError", "AsyncPages", "AsyncTurnpike", "CallInfo", "Event", "Pages", "Text", "Turnpike", "TurnpikeError", "Wallet", "__version__",
    "errors", "params", "types", "webhooks",
]  # fmt: skip
