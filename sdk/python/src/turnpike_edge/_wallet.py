"""Pays for calls with USDC, by version 2 of x402, within limits."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
import threading
import time
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Dict, List, Mapping, Optional, Protocol, Set, Tuple, Union

from turnpike_edge.errors import PaymentError, SpendingCapError, UsageError

Amount = Union[str, int, Decimal]
"""An amount of USDC: "0.25", 5, or a Decimal. Not a float, because many amounts have no exact float."""

USDC = {
    "eip155:8453": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",  # Base
    "eip155:84532": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",  # Base Sepolia
}
_UNITS = 1_000_000  # USDC has 6 decimals
_FIELDS = {"from": "address", "to": "address", "value": "uint256", "validAfter": "uint256", "validBefore": "uint256", "nonce": "bytes32"}
_TYPES = {"TransferWithAuthorization": [{"name": name, "type": kind} for name, kind in _FIELDS.items()]}


class Signer(Protocol):
    """An account that signs typed data, such as eth_account's LocalAccount."""

    @property
    def address(self) -> Any: ...

    def sign_typed_data(self, domain_data: Any, message_types: Any, message_data: Any) -> Any: ...


def usdc(units: int) -> Decimal:
    return Decimal(units) / _UNITS


def _units(amount: Amount, name: str) -> int:
    if isinstance(amount, (str, int, Decimal)) and not isinstance(amount, bool):
        try:
            units = Decimal(amount) * _UNITS
            if units == int(units) and units >= 0:
                return int(units)
        except (InvalidOperation, OverflowError, ValueError):
            pass
    raise UsageError(f'{name} is an amount of USDC with at most 6 decimals, such as "0.25" or 5, not {amount!r}')


class Wallet:
    """An account and what may be spent from it. It may be used by several clients, and from threads and tasks at once."""

    def __init__(
        self, account: Union[str, Signer], *, max_spend: Amount, max_per_call: Amount = "1", tokens: Optional[Mapping[str, str]] = None
    ) -> None:
        """
        Args:
            account: a private key in hexadecimal, or an account of eth-account, or another signer of typed data.
            max_spend: the most USDC that all calls together may spend.
            max_per_call: the most USDC that one call may spend.
            tokens: the address of USDC by network, such as {"eip155:8453": "0x…"}. Default: Base and Base Sepolia.
        """
        self._account = _account(account) if isinstance(account, str) else account
        self._max_spend = _units(max_spend, "max_spend")
        self._max_per_call = _units(max_per_call, "max_per_call")
        self._tokens = {network: token.lower() for network, token in (USDC if tokens is None else tokens).items()}
        self._lock = threading.Lock()
        self._counted = 0
        self._released: List[Tuple[int, int]] = []  # when the payments that were not charged expire, and their units
        self._bought: Set[Tuple[str, str]] = set()  # purchases, with their transactions

    @classmethod
    def of(cls, wallet: Union[Wallet, Signer, str, None], max_spend: Optional[Amount], max_per_call: Amount) -> Optional[Wallet]:
        """Makes the wallet of a client from its arguments."""
        if wallet is None or isinstance(wallet, Wallet):
            if max_spend is not None:
                raise UsageError("max_spend belongs to wallet= with a key or an account: a Wallet has its own, a key has none")
            return wallet
        if max_spend is None:
            raise UsageError('say how much USDC this client may spend: wallet=…, max_spend="5"')
        return cls(wallet, max_spend=max_spend, max_per_call=max_per_call)

    @property
    def address(self) -> str:
        return str(self._account.address)

    @property
    def spent(self) -> Decimal:
        """What was spent, or may still be: all payments that were signed, but those that the service did not charge and that have expired."""
        with self._lock:
            return usdc(self._count())

    @property
    def left(self) -> Decimal:
        """What may still be spent."""
        with self._lock:
            return usdc(self._max_spend - self._count())

    def _count(self) -> int:
        """Returns the units that count now. The lock is held. Who has a signature could use it until it expires, whatever the service says."""
        now = time.time()
        self._counted -= sum(units for until, units in self._released if until <= now)
        self._released = [(until, units) for until, units in self._released if until > now]
        return self._counted

    def __repr__(self) -> str:
        return f"Wallet({self.address}, spent={self.spent}, left={self.left})"

    def offer(self, challenge: Dict[str, Any]) -> Dict[str, Any]:
        """Returns the first offer of a challenge that this wallet can pay."""
        offers = [o for o in challenge.get("accepts") or [] if isinstance(o, dict)]
        for offer in offers:
            extra = offer.get("extra")
            if (
                offer.get("scheme") == "exact" and str(offer.get("asset")).lower() == self._tokens.get(str(offer.get("network")))
                and isinstance(extra, dict) and extra.get("name") and extra.get("version")
                and extra.get("assetTransferMethod", "eip3009") == "eip3009" and str(offer.get("amount")).isdecimal()
            ):  # fmt: skip
                return offer
        raise PaymentError(
            "the service has no offer that this wallet can pay: USDC, scheme exact, on "
            f"{' or '.join(self._tokens)}. It offers {', '.join(str(o.get('network')) for o in offers) or 'nothing'}",
            "no_offer",
        )

    def pay(self, challenge: Dict[str, Any], purchase: str) -> Payment:
        """Signs a payment for a challenge. It counts as spent from here on."""
        offer = self.offer(challenge)
        units = int(offer["amount"])
        if units > self._max_per_call:
            raise SpendingCapError(f"the call costs {usdc(units)} USDC, and max_per_call is {usdc(self._max_per_call)}")
        with self._lock:  # checked and counted at once, so that parallel calls cannot exceed the limit together
            left = self._max_spend - self._count()
            if units > left:
                raise SpendingCapError(
                    f"the call costs {usdc(units)} USDC, and {usdc(left)} of max_spend {usdc(self._max_spend)} are left"
                )
            self._counted += units
        until = int(time.time()) + int(offer["maxTimeoutSeconds"])
        try:
            return Payment(self, units, until, purchase, self._sign(challenge, offer, units, until, purchase))
        except BaseException:  # there is no signature
            with self._lock:
                self._counted -= units
            raise

    def _sign(self, challenge: Dict[str, Any], offer: Dict[str, Any], units: int, until: int, purchase: str) -> str:
        network, extra, nonce = str(offer["network"]), offer["extra"], os.urandom(32)
        message = {"from": self.address, "to": offer["payTo"], "value": units, "validAfter": 0, "validBefore": until, "nonce": nonce}
        domain = {
            "name": extra["name"], "version": extra["version"], "chainId": int(network.split(":")[1]), "verifyingContract": offer["asset"],
        }  # fmt: skip
        signature = bytes(self._account.sign_typed_data(domain, _TYPES, message).signature)
        authorization = {name: value if isinstance(value, str) else str(value) for name, value in message.items()}
        authorization["nonce"] = "0x" + nonce.hex()
        payment: Dict[str, Any] = {
            "x402Version": 2, "accepted": offer,
            "payload": {"signature": "0x" + signature.hex(), "authorization": authorization},
        }  # fmt: skip
        if "resource" in challenge:
            payment["resource"] = challenge["resource"]
        extensions = challenge.get("extensions")
        if isinstance(extensions, dict):
            payment["extensions"] = dict(extensions)
            identified = extensions.get("payment-identifier")
            if isinstance(identified, dict):  # a new payment for the same purchase is not charged again
                info = {**identified.get("info", {}), "id": hashlib.sha256(purchase.encode()).hexdigest()[:32]}
                payment["extensions"]["payment-identifier"] = {**identified, "info": info}
        return base64.b64encode(json.dumps(payment, separators=(",", ":")).encode()).decode()


@dataclass
class Payment:
    """A signed payment. The header is a secret until the service has it."""

    _wallet: Wallet
    _units: int
    _until: int
    _purchase: str
    _header: str

    def headers(self) -> Dict[str, str]:
        return {"PAYMENT-SIGNATURE": self._header}

    @property
    def amount(self) -> Decimal:
        return usdc(self._units)

    def is_new(self, transaction: str) -> bool:
        """Reports whether a transaction has charged this payment, not an earlier one for the same purchase.

        The transaction alone does not tell, because one may settle many payments.
        """
        with self._wallet._lock:
            known = (self._purchase, transaction) in self._wallet._bought
            self._wallet._bought.add((self._purchase, transaction))
        return not known

    def release(self) -> None:
        """Says that the payment was not charged. It counts until it expires."""
        with self._wallet._lock:
            self._wallet._released.append((self._until, self._units))

    def __repr__(self) -> str:
        return f"Payment({self.amount})"


def read_header(value: Optional[str]) -> Optional[Dict[str, Any]]:
    """Reads a challenge or a receipt: base64 of a JSON object. None if it is not one."""
    try:
        read = json.loads(base64.b64decode(value or "", validate=True))
    except (binascii.Error, ValueError):
        return None
    return read if isinstance(read, dict) else None


def _account(key: str) -> Signer:
    try:
        from eth_account import Account
    except ImportError:
        raise UsageError("paying with a private key needs eth-account: pip install 'turnpike-edge[wallet]'") from None
    try:
        account: Signer = Account.from_key(key.strip())
        return account
    except Exception:  # whose text may have the key
        raise UsageError("the wallet is not a private key: want 32 bytes in hexadecimal") from None
