"""Verifies webhooks, by Standard Webhooks (https://www.standardwebhooks.com)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional, Sequence, Union

from turnpike_edge.errors import UsageError, WebhookError

TOLERANCE_SECONDS = 300
_PREFIX = "whsec_"


@dataclass(frozen=True)
class WebhookEvent:
    """What happened."""

    id: str
    """The event's id, the same in all tries: keep it, and ignore an event that came before."""
    object: str
    """What happened, such as "event.batch.completed"."""
    timestamp: int
    """When this try began, in milliseconds."""
    delivery_attempt: str
    """Which try this is, of how many: "1/8"."""
    data: Dict[str, Any]
    """The object of the event, as it was when the event happened."""


def verify(
    body: Union[bytes, str], headers: Mapping[str, str], secret: Union[str, Sequence[str]], *, now: Optional[float] = None
) -> WebhookEvent:
    """Returns the event in a request, or raises WebhookError if the request is not from the service.

    Args:
        body: the body as it was received, before it is parsed.
        headers: the request's headers, in any case.
        secret: the secret of `client.webhooks.secret()`, or several while one is being replaced.
        now: the time in seconds. Default: the clock's.
    """
    given = {name.lower(): value for name, value in headers.items()}
    try:
        identity, moment, signatures = (given[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
        seconds = int(moment)
    except KeyError as missing:
        raise WebhookError(f"the request has no header {missing}") from None
    except ValueError:
        raise WebhookError("the header webhook-timestamp is not a number of seconds") from None
    if abs((time.time() if now is None else now) - seconds) > TOLERANCE_SECONDS:
        raise WebhookError(f"the header webhook-timestamp is more than {TOLERANCE_SECONDS} seconds off")
    raw = body.encode() if isinstance(body, str) else body
    signed = f"{identity}.{moment}.".encode() + raw
    expected = [_sign(one, signed) for one in ([secret] if isinstance(secret, str) else secret)]
    offered = [s[3:].encode() for s in signatures.split(" ") if s.startswith("v1,")]
    if not any([hmac.compare_digest(want, got) for want in expected for got in offered]):  # a list, so that all are compared
        raise WebhookError("no signature in the header webhook-signature is right for this body and secret")
    try:
        event = json.loads(raw)
        return WebhookEvent(event["id"], event["object"], event["timestamp"], event["delivery_attempt"], event["data"])
    except (ValueError, KeyError, TypeError) as wrong:
        raise WebhookError(f"the body is signed, but is not an event: {wrong!r}") from None


def _sign(secret: str, signed: bytes) -> bytes:
    try:
        key = base64.b64decode(secret[len(_PREFIX) :] if secret.startswith(_PREFIX) else secret, validate=True)
    except binascii.Error:
        raise UsageError(f'a webhook secret is "{_PREFIX}" followed by base64') from None
    return base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
