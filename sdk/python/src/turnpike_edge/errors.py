"""The errors that this package raises. All are a TurnpikeError, and those that the service returned are an APIError."""

from __future__ import annotations

from typing import Any, Dict, Optional, Type


class TurnpikeError(Exception):
    """The base of all errors of this package."""


class UsageError(TurnpikeError):
    """The client was configured or called in a way that cannot work. Nothing was sent."""


class APIConnectionError(TurnpikeError):
    """No response arrived, after all tries. A payment that was sent may have been charged, and counts as spent."""


class WaitTimeoutError(TurnpikeError):
    """What was waited for has not ended in time. It goes on at the service."""


class SpendingCapError(TurnpikeError):
    """A cap of the wallet does not allow the payment. Nothing was signed for it."""


class PaymentError(TurnpikeError):
    """The service has no offer that the wallet can pay, or refused the payment. Nothing was charged.

    Attributes:
        reason: why, such as "insufficient_funds" or "no_offer".
        request_id: the id of the request, or "".
    """

    def __init__(self, message: str, reason: str, request_id: str = "") -> None:
        self.reason = reason
        self.request_id = request_id
        super().__init__(message)


class WebhookError(TurnpikeError):
    """The request is not a webhook of the service: its signature or its time is wrong."""


class APIError(TurnpikeError):
    """An error that the service returned.

    Attributes:
        status: the HTTP status.
        code: the error's code, such as "fetch_failed".
        detail: what was wrong, in a sentence.
        request_id: the id of the request, for logs and for questions to the operator of the service.
        docs: the page about this error, if there is one.
        metadata: details by code, such as the fields that are wrong.
        retry_after: the seconds after which a retry makes sense, if the service said so.
        error_id: the id of the error, if it has one.
        body: the response's JSON, or None.
    """

    def __init__(self, status: int, body: Optional[Dict[str, Any]], request_id: str, retry_after: Optional[float] = None) -> None:
        said = body or {}
        self.status = status
        self.code = str(said.get("code") or (said.get("error") if "x402Version" in said else None) or "")
        self.detail = str(said.get("detail") or said.get("message") or said.get("error") or "The response has no details.")
        self.request_id = request_id
        kind = said.get("type")
        self.docs: Optional[str] = kind if isinstance(kind, str) and "/" in kind else None
        metadata = said.get("metadata")
        self.metadata: Dict[str, Any] = metadata if isinstance(metadata, dict) else {}
        self.retry_after = retry_after
        self.error_id: Optional[str] = said.get("id")
        self.body = body
        where = f"request {request_id}" + (f", see {self.docs}" if self.docs else "")
        super().__init__(f"{status} {self.code}".rstrip() + f": {self.detail} ({where})")


class InvalidRequestError(APIError):
    """400, 405, 413, 422 and others: the request is wrong, and stays wrong."""


class AuthenticationError(APIError):
    """401: the key is not valid. Or, for a wallet, there is nothing with this id that a wallet may read."""


class CreditsError(APIError):
    """402: too few credits. Nothing was charged."""


class PermissionDeniedError(APIError):
    """403: the key may not do this, or the page may not be fetched."""


class NotFoundError(APIError):
    """404: nothing has this id."""


class ConflictError(APIError):
    """409: another request is in the way, or the state of the resource does not allow this."""


class RateLimitError(APIError):
    """429: too many requests, after all tries."""


class FetchFailedError(APIError):
    """502 fetch_failed: the page could not be fetched. `metadata["reason"]` says why. Nothing was charged."""


class ServerError(APIError):
    """Other 5xx: the service failed, or lacks a component."""


_BY_STATUS: Dict[int, Type[APIError]] = {
    401: AuthenticationError, 402: CreditsError, 403: PermissionDeniedError, 404: NotFoundError, 409: ConflictError, 429: RateLimitError,
}  # fmt: skip


def of_response(status: int, body: Optional[Dict[str, Any]], request_id: str, retry_after: Optional[float]) -> APIError:
    """Makes the error of a response, of the class of its status and its code."""
    other = FetchFailedError if (body or {}).get("code") == "fetch_failed" else ServerError if status >= 500 else InvalidRequestError
    return _BY_STATUS.get(status, other)(status, body, request_id, retry_after)
