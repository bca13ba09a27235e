"""What all results have in common, and how a JSON value becomes one."""

from __future__ import annotations

import dataclasses
import functools
from decimal import Decimal
from typing import Any, Dict, Optional, Type, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")

# Fields that are left out of text for people: whoever has their value can use it.
SECRET_FIELDS = frozenset({"key", "secret", "webhook_secret"})
_TEXT_SHOWN = 60


@dataclasses.dataclass(frozen=True)
class CallInfo:
    """What one call cost, and by which id the service knows it."""

    request_id: str
    """The id of the request, for logs and for questions to the operator of the service."""
    credits: Optional[int] = None
    """The credits that the call was charged. None if it was not made with a key."""
    credits_remaining: Optional[int] = None
    usdc: Optional[Decimal] = None
    """The USDC that the wallet paid. None if nothing was paid."""
    transaction: Optional[str] = None
    """The transaction of the payment on the chain."""
    replayed: bool = False
    """Whether the response is that of an earlier request with the same idempotency key."""
    requests: int = 1
    """How many requests were sent: more than one after retries, and where a wallet asked for the price."""


class Object:
    """A result: its fields are attributes."""

    _source: Dict[str, Any]
    _call: Optional[CallInfo] = None

    @property
    def call(self) -> CallInfo:
        """The call that returned this result. Parts of a result have none of their own."""
        if self._call is None:
            raise AttributeError(f"{type(self).__name__} is part of the result of a call: ask that result")
        return self._call

    def to_dict(self) -> Dict[str, Any]:
        """Returns the JSON object as the service sent it, with fields that this version of the package does not know."""
        return self._source

    def __repr__(self) -> str:
        shown = []
        for field in dataclasses.fields(self):  # type: ignore[arg-type]  # all subclasses are dataclasses
            value = getattr(self, field.name)
            if value is None or value == {} or value == []:
                continue
            if field.name in SECRET_FIELDS or field.name.endswith("_hosted_url") or field.name in ("upload_url", "download_url"):
                text = "…"
            elif isinstance(value, (list, dict)):
                text = f"<{len(value)}>"
            else:
                text = repr(value)
                text = text if len(text) <= _TEXT_SHOWN or isinstance(value, Object) else f"{text[:_TEXT_SHOWN]}…'"
            shown.append(f"{field.name}={text}")
        return f"{type(self).__name__}({', '.join(shown)})"


_hints = functools.cache(get_type_hints)


def _decode(kind: Any, value: Any) -> Any:
    if value is None:
        return None
    origin = get_origin(kind)
    if origin is Union:
        decoded = (_decode(choice, value) for choice in get_args(kind))
        return next((d for d in decoded if d is not value), value)  # the first choice that the value has the form of
    if origin is list and isinstance(value, list):
        return [_decode(get_args(kind)[0], item) for item in value]
    if origin is dict and isinstance(value, dict):
        return {name: _decode(get_args(kind)[1], item) for name, item in value.items()}
    if isinstance(kind, type) and issubclass(kind, Object) and isinstance(value, dict):
        return build(kind, value)
    return value


def build(cls: Type[T], source: Dict[str, Any], call: Optional[CallInfo] = None) -> T:
    """Makes a result of the JSON object. A field that the service did not send is None, and one that is new is kept for to_dict."""
    hints = _hints(cls)  # type: ignore[arg-type]  # a class can be hashed
    fields = dataclasses.fields(cls)  # type: ignore[arg-type]
    result = cls(**{f.name: _decode(hints[f.name], source.get(f.name.rstrip("_"))) for f in fields})
    result._source, result._call = source, call  # type: ignore[attr-defined]
    return result
