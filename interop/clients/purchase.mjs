// What every client program shares: its wallet and request from the environment, and one line of JSON for the test.
import { createWalletClient, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { baseSepolia } from "viem/chains";

function need(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

export const url = need("PAID_URL");
export const method = need("PAID_METHOD");
export const body = process.env.PAID_BODY || undefined;
export const account = privateKeyToAccount(need("WALLET_KEY"));
export const wallet = createWalletClient({ account, chain: baseSepolia, transport: http(need("RPC_URL")) });

// report tells the test what came back. The receipt is decoded by the client's own package.
export function report({ status, body, receipt }) {
  process.stdout.write(JSON.stringify({ status, body, receipt }) + "\n");
}
