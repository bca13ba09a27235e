"""The errors that this package raises. All are a TurnpikeError, and those that the service returned are an APIError."""

from __future__ import annotations

from typing import Any, Dict, Optional, Type


class TurnpikeError(Exception):
    """The base of all errors of this package."""


class ConfigurationError(TurnpikeError):
    """The client cannot work with what it was given."""


class ConnectionFailed(TurnpikeError):
    """No response arrived, after all tries. A payment that was sent may have been charged, and counts as spent."""


class WaitTimeout(TurnpikeError):
    """What was waited for has not ended in time. It goes on at the service."""


class SpendingLimitError(TurnpikeError):
    """The payment would exceed a limit of the client. Nothing was signed for it."""


class WebhookError(TurnpikeError):
    """The request is not a webhook of the service: its signature or its time is wrong."""


class APIError(TurnpikeError):
    """An error that the service returned.

    Attributes:
        status: the HTTP status.
        code: the error's code, such as "fetch_failed". For a payment that was refused, its reason, such as "insufficient_funds".
        detail: what was wrong, in a sentence.
        request_id: the id of the request, for logs and for questions to the operator of the service.
        docs_url: the page about this error, if there is one.
        metadata: details by code, such as the fields that are wrong.
        retry_after: the seconds after which a retry makes sense, if the service said so.
        body: the response's JSON, or None.
    """

    def __init__(self, status: int, body: Optional[Dict[str, Any]], request_id: str, retry_after: Optional[float] = None) -> None:
        said = body or {}
        self.status = status
        self.code = str(said.get("code") or (said.get("error") if "x402Version" in said else None) or "")
        self.detail = str(said.get("detail") or said.get("message") or said.get("error") or "The response has no details.")
        self.request_id = request_id
        kind = said.get("type")
        self.docs_url: Optional[str] = kind if isinstance(kind, str) and "/" in kind else None
        metadata = said.get("metadata")
        self.metadata: Dict[str, Any] = metadata if isinstance(metadata, dict) else {}
        self.retry_after = retry_after
        self.body = body
        where = f"request {request_id}" + (f", see {self.docs_url}" if self.docs_url else "")
        super().__init__(f"{status} {self.code}".rstrip() + f": {self.detail} ({where})")


class BadRequestError(APIError):
    """400, 413 or 422: the request is wrong, and stays wrong."""


class AuthenticationError(APIError):
    """401: the key is not valid. Or, for a wallet, there is nothing with this id that a wallet may read."""


class PaymentRequiredError(APIError):
    """402: too few credits, or the payment was refused. Nothing was charged."""


class AccessError(APIError):
    """403: the key may not do this, or the page may not be fetched."""


class NotFoundError(APIError):
    """404: nothing has this id."""


class ConflictError(APIError):
    """409: another request is in the way, or the state of the resource does not allow this."""


class RateLimitError(APIError):
    """429: too many requests, after all tries."""


class FetchError(APIError):
    """502 or 504: the page could not be fetched, or not in time. Nothing was charged."""


class ServerError(APIError):
    """500, 501, 503 and others: the service failed, or cannot do this now."""


_BY_STATUS: Dict[int, Type[APIError]] = {
    400: BadRequestError, 401: AuthenticationError, 402: PaymentRequiredError, 403: AccessError, 404: NotFoundError,
    405: BadRequestError, 409: ConflictError, 413: BadRequestError, 422: BadRequestError, 429: RateLimitError, 431: BadRequestError,
    502: FetchError, 504: FetchError,
}  # fmt: skip


def of_status(status: int) -> Type[APIError]:
    return _BY_STATUS.get(status, ServerError)
