// Two extensions by the code that is published for them: a purchase that is signed for twice under one identifier, and
// a wallet that signs in. One line of JSON says what each step got.
import { randomUUID } from "node:crypto";
import { ExactEvmScheme } from "@x402/evm";
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { appendPaymentIdentifierToExtensions, generatePaymentId } from "@x402/extensions/payment-identifier";
import { createSIWxClientExtension, wrapFetchWithSIWx } from "@x402/extensions/sign-in-with-x";
import { privateKeyToAccount } from "viem/accounts";

const url = process.env.PAID_URL;
const account = privateKeyToAccount(process.env.WALLET_KEY);

// What is sent with a request, by name.
const sent = [];
const counted = (input, init) => {
  const request = new Request(input, init);
  for (const name of ["payment-signature", "sign-in-with-x"]) {
    if (request.headers.has(name)) sent.push(name);
  }
  return fetch(request);
};

const steps = [];
async function step(name, ask) {
  sent.length = 0;
  const response = await ask();
  const receipt = response.headers.get("payment-response");
  steps.push({ name, status: response.status, body: await response.text(), receipt: receipt && decodePaymentResponseHeader(receipt), sent: [...sent] });
}

const payer = () => new x402Client().register("eip155:*", new ExactEvmScheme(account));
const identified = (id) => wrapFetchWithPayment(counted, payer().onBeforePaymentCreation(async ({ paymentRequired }) => {
  appendPaymentIdentifierToExtensions(paymentRequired.extensions, id);
}));

const id = generatePaymentId();
await step("paid", () => identified(id)(url));
await step("paid again", () => identified(id)(url));
await step("for another request", () => identified(id)(url + "&" + randomUUID()));
await step("signed in", () => wrapFetchWithSIWx(counted, account)(url));
await step("signed in, or else paid", () =>
  wrapFetchWithPayment(counted, payer().registerExtension(createSIWxClientExtension({ signers: [account] })))(url));
process.stdout.write(JSON.stringify(steps) + "\n");
