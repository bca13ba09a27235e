// Payments by x402 version 2, scheme exact, with EIP-3009: the wallet signs a transfer of exactly the price, and the server makes it.
// https://github.com/coinbase/x402/blob/main/specs/schemes/exact/scheme_exact_evm.md
import { base64OfJSON, jsonOfBase64, randomHex } from "./encoding.js";
import { isRecord, PaymentError, SpendingCapError, UsageError } from "./errors.js";
import { type USDC, unitsOf, usdcOf } from "./usdc.js";

type Hex = `0x${string}`;

/** What a wallet is asked to sign (EIP-712). */
export interface TypedData {
  domain: { name: string; version: string; chainId: number; verifyingContract: Hex };
  types: { TransferWithAuthorization: { name: string; type: string }[] };
  primaryType: "TransferWithAuthorization";
  message: { from: Hex; to: Hex; value: bigint; validAfter: bigint; validBefore: bigint; nonce: Hex };
}

/** An account that signs, such as viem's `privateKeyToAccount(key)`. */
export interface Wallet {
  address: Hex;
  signTypedData(data: TypedData): Promise<Hex>;
}

/** Circle's USDC on the networks that Turnpike has built in. Other tokens are taken only if `tokens` names them. */
const usdcTokens: Record<string, string> = {
  "eip155:8453": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", // Base
  "eip155:84532": "0x036CbD53842c5426634e7929541eC2318f3dCF7e", // Base Sepolia
};

const transferTypes = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" },
  ],
};

interface Offer {
  scheme: string;
  network: string;
  amount: string;
  asset: Hex;
  payTo: Hex;
  maxTimeoutSeconds: number;
  extra: { name: string; version: string; assetTransferMethod?: string };
}

interface Challenge {
  error: string;
  resource: unknown;
  accepts: unknown[];
  extensions: Record<string, unknown>;
}

/** A signed payment. The same one is sent again if its response is lost: the server charges it once. */
export interface Payment {
  header: string;
  usdc: string;
  /** Until when the server takes it, in milliseconds since 1970. */
  expires: number;
  /** Says that the server has not charged it. It counts as spent until nobody can use it any more. */
  release(): void;
}

/** What the server says of a settled payment. */
export interface Receipt {
  transaction: string;
  network: string;
  payer: string;
}

/** The server refuses payments that expire within six seconds. */
const expiryMargin = 10_000;

/** Signs payments within a spending cap. */
export class Payer {
  readonly #wallet: Wallet;
  readonly #tokens: Record<string, string>;
  readonly #maxSpend: bigint;
  readonly #maxPerCall: bigint;
  #counted = 0n;
  /** Payments that were not charged, and count until they expire. */
  #released: { amount: bigint; until: number }[] = [];

  constructor(wallet: Wallet, maxSpend: USDC, maxPerCall: USDC, tokens: Record<string, string> = {}) {
    if (!/^0x[0-9a-fA-F]{40}$/.test(wallet?.address) || typeof wallet.signTypedData !== "function") {
      throw new UsageError("wallet is an account with an address and signTypedData, such as privateKeyToAccount(key) of viem/accounts");
    }
    if (maxSpend === undefined) throw new UsageError("a wallet needs maxSpend: the most USDC that this client may spend");
    this.#wallet = wallet;
    this.#maxSpend = unitsOf(maxSpend, "maxSpend");
    this.#maxPerCall = unitsOf(maxPerCall, "maxPerCall");
    this.#tokens = { ...usdcTokens, ...tokens };
  }

  /** What was spent or may still be charged, in USDC: all payments that were signed, but those that were not charged and have expired. */
  get spent(): string {
    return usdcOf(this.#count());
  }

  #count(): bigint {
    const now = Date.now();
    for (const { amount, until } of this.#released) if (until <= now) this.#counted -= amount;
    this.#released = this.#released.filter(({ until }) => until > now);
    return this.#counted;
  }

  /** The price of a challenge, in USDC. */
  price(headers: Headers): string {
    return usdcOf(BigInt(this.#offer(challengeOf(headers), headers).amount));
  }

  /**
   * Signs a payment for the challenge in the headers of a 402. The amount counts as spent from before the signature on, so that
   * calls in parallel cannot exceed the cap together. If the server then says that it has not charged it, it counts until it
   * expires: a signature that is out of our hands can be used until then, whatever was said.
   */
  async pay(headers: Headers, id: string, maxPerCall: USDC | undefined): Promise<Payment> {
    const challenge = challengeOf(headers);
    const offer = this.#offer(challenge, headers);
    const amount = BigInt(offer.amount);
    this.#take(amount, maxPerCall === undefined ? this.#maxPerCall : unitsOf(maxPerCall, "maxPerCall"));
    const expires = Math.floor(Date.now() / 1000) + offer.maxTimeoutSeconds;
    const message = {
      from: this.#wallet.address,
      to: offer.payTo,
      value: amount,
      validAfter: 0n,
      validBefore: BigInt(expires),
      nonce: `0x${randomHex(32)}` as const,
    };
    const chainId = Number(offer.network.slice("eip155:".length));
    let signature: Hex;
    try {
      const domain = { name: offer.extra.name, version: offer.extra.version, chainId, verifyingContract: offer.asset };
      signature = await this.#wallet.signTypedData({ domain, types: transferTypes, primaryType: "TransferWithAuthorization", message });
    } catch (cause) {
      this.#counted -= amount;
      throw new PaymentError("the wallet did not sign the payment", "not_signed", headers.get("x-request-id"), { cause });
    }
    const authorization = { ...message, value: offer.amount, validAfter: "0", validBefore: String(expires) };
    const header = base64OfJSON({
      x402Version: 2,
      resource: challenge.resource,
      accepted: offer,
      payload: { signature, authorization },
      extensions: identified(challenge.extensions, id),
    });
    const release = () => void this.#released.push({ amount, until: expires * 1000 });
    return { header, usdc: usdcOf(amount), expires: expires * 1000 - expiryMargin, release };
  }

  #take(amount: bigint, maxPerCall: bigint): void {
    if (amount > maxPerCall) throw new SpendingCapError(usdcOf(amount), usdcOf(maxPerCall), "call", this.spent);
    if (this.#count() + amount > this.#maxSpend) throw new SpendingCapError(usdcOf(amount), usdcOf(this.#maxSpend), "client", this.spent);
    this.#counted += amount;
  }

  #offer(challenge: Challenge, headers: Headers): Offer {
    const offer = challenge.accepts.find((o) => this.#takes(o));
    if (offer) return offer as Offer;
    const networks = Object.keys(this.#tokens).join(", ");
    throw new PaymentError(`the server offers no payment in USDC on a network that the client knows (${networks})`, "no_offer", headers.get("x-request-id"));
  }

  #takes(offer: unknown): offer is Offer {
    if (!isRecord(offer) || offer["scheme"] !== "exact" || !isRecord(offer["extra"])) return false;
    const { network, amount, asset, payTo, maxTimeoutSeconds, extra } = offer as unknown as Offer;
    return (
      Object.hasOwn(this.#tokens, network) &&
      this.#tokens[network]!.toLowerCase() === String(asset).toLowerCase() &&
      /^[1-9]\d{0,30}$/.test(amount) &&
      /^0x[0-9a-fA-F]{40}$/.test(payTo) &&
      Number.isSafeInteger(maxTimeoutSeconds) &&
      maxTimeoutSeconds > 0 &&
      typeof extra.name === "string" &&
      typeof extra.version === "string" &&
      (extra.assetTransferMethod ?? "eip3009") === "eip3009"
    );
  }
}

function challengeOf(headers: Headers): Challenge {
  const value = jsonOfBase64(headers.get("payment-required") ?? "");
  if (!isRecord(value) || value["x402Version"] !== 2 || !Array.isArray(value["accepts"])) {
    throw new PaymentError("the 402 response has no challenge of x402 version 2", "no_challenge", headers.get("x-request-id"));
  }
  const extensions = value["extensions"];
  return {
    error: String(value["error"] ?? "payment_required"),
    resource: value["resource"],
    accepts: value["accepts"],
    extensions: isRecord(extensions) ? extensions : {},
  };
}

/** The server's extensions, with the purchase's identifier where it takes one: a second payment for it is not charged. */
function identified(extensions: Record<string, unknown>, id: string): Record<string, unknown> {
  const offered = extensions["payment-identifier"];
  if (!isRecord(offered) || !/^[A-Za-z0-9_-]{16,128}$/.test(id)) return extensions;
  return { ...extensions, "payment-identifier": { ...offered, info: { ...(isRecord(offered["info"]) ? offered["info"] : {}), id } } };
}

/** Why the server refused a payment, by the new challenge that it sent. */
export function refusal(headers: Headers): PaymentError {
  const reason = challengeOf(headers).error;
  return new PaymentError(`the server refused the payment: ${reason}`, reason, headers.get("x-request-id"));
}

/** The receipt of a response, or null: nothing was settled. */
export function receiptOf(headers: Headers): Receipt | null {
  const value = jsonOfBase64(headers.get("payment-response") ?? "");
  if (!isRecord(value) || value["success"] !== true) return null;
  return { transaction: String(value["transaction"]), network: String(value["network"]), payer: String(value["payer"]) };
}
