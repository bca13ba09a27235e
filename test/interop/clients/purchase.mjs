// What every client program shares: the wallet and the request of an order, and a count of what the package sends.
import { createWalletClient, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { describe, serveLines } from "../lines.mjs";
import { networkOf } from "../networks.mjs";

// servePurchases has pay make the purchase of each order. What pay throws is the package's own refusal to pay.
export function servePurchases(pay) {
  serveLines(async ({ url, method, body, chainId, rpc, key, cap }) => {
    const network = networkOf(chainId);
    const account = privateKeyToAccount(key);
    let requests = 0;
    const purchase = {
      url, method, body: body || undefined, headers: body ? { "Content-Type": "application/json" } : {},
      network, account, wallet: createWalletClient({ account, chain: network.chain, transport: http(rpc) }),
      cap: cap || undefined, // in millionths of a USDC; the package's own without it
      counted: () => { requests++; },
    };
    try {
      return { ...(await pay(purchase)), requests };
    } catch (error) {
      return { error: describe(error), requests };
    }
  });
}

// countedFetch is fetch, for the packages that wrap it.
export function countedFetch(purchase) {
  return (...args) => {
    purchase.counted();
    return fetch(...args);
  };
}

// answered is what came back. The receipt is decoded by the package.
export async function answered(response, receiptHeader, decode) {
  const receipt = response.headers.get(receiptHeader);
  return { status: response.status, body: await response.text(), receipt: receipt && decode(receipt) };
}
