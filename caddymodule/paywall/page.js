"use strict";
(() => {
  const byID = (id) => document.getElementById(id);
  const { now, challenge, networks } = JSON.parse(byID("data").textContent);
  const clockSkew = now - Date.now() / 1000; // seconds that the edge's clock is ahead of this one
  const memory = "x402 " + location.pathname + location.search;
  const decimals = 6;
  const textMax = 1 << 20;

  // What went wrong, in words for the one who pays.
  class Problem extends Error {}

  // --- what is on the page ---

  const show = (id, text) => {
    const element = byID(id);
    element.textContent = text;
    element.hidden = !text;
  };
  const progress = (text) => {
    show("problem", "");
    show("progress", text);
  };
  const problem = (text) => {
    show("progress", "");
    show("problem", text);
  };
  const busy = (is) => {
    for (const id of ["pay", "again"]) byID(id).disabled = is;
    byID("offer").setAttribute("aria-busy", String(is));
  };

  const chosen = () => {
    const radio = document.querySelector("input[name=offer]:checked");
    return challenge.accepts[radio ? Number(radio.value) : 0];
  };
  const token = (offer) => (!offer.extra?.name || offer.extra.name === "USD Coin" ? "USDC" : offer.extra.name);
  const amount = (units) => {
    const digits = String(units).padStart(decimals + 1, "0");
    const fraction = digits.slice(-decimals).replace(/0+$/, "");
    return digits.slice(0, -decimals) + (fraction && "." + fraction);
  };

  // --- the wallet (EIP-1193, EIP-6963) ---

  const announced = [];
  addEventListener("eip6963:announceProvider", (event) => {
    const { info, provider } = event.detail;
    if (announced.some((other) => other.info.uuid === info.uuid)) return;
    announced.push(event.detail);
    byID("wallet").add(new Option(info.name, String(announced.length - 1)));
    byID("wallets").hidden = announced.length < 2;
  });
  dispatchEvent(new Event("eip6963:requestProvider"));

  const wallet = () => announced[Number(byID("wallet").value || 0)]?.provider ?? window.ethereum;

  const ask = async (provider, method, params, what) => {
    try {
      return await provider.request({ method, params });
    } catch (error) {
      if (error?.code === 4001) throw new Problem("You refused " + what + " in your wallet. Nothing was paid.");
      if (error?.code === -32002) throw new Problem("Your wallet already has a pending request: open it and respond, then try again. Nothing was paid.");
      throw error;
    }
  };
  const walletSays = (error) => error?.message || error?.data?.message || "no reason was given";

  const chainOf = (offer) => Number(offer.network.slice("eip155:".length));

  async function useNetwork(provider, offer) {
    const want = chainOf(offer);
    const { name, rpc, explorer } = networks[offer.network];
    const current = async () => Number(await ask(provider, "eth_chainId", [], "to report the network"));
    if ((await current()) === want) return;
    progress("Your wallet asks you to switch to the network " + name + ".");
    const chainId = "0x" + want.toString(16);
    const change = () => ask(provider, "wallet_switchEthereumChain", [{ chainId }], "to switch the network");
    try {
      try {
        await change();
      } catch (error) {
        const unknown = error?.code === 4902 || error?.data?.originalError?.code === 4902;
        if (!unknown || !rpc) throw error;
        await ask(provider, "wallet_addEthereumChain", [{
          chainId, chainName: name, rpcUrls: [rpc], blockExplorerUrls: explorer ? [explorer] : null,
          nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
        }], "to add the network");
        if ((await current()) !== want) await change();
      }
    } catch (error) {
      if (error instanceof Problem) throw error;
      throw new Problem("Your wallet could not switch to the network " + name + " (chain " + want + "): " + walletSays(error) + ". Switch the network in your wallet, then try again. Nothing was paid.");
    }
    if ((await current()) !== want) {
      throw new Problem("Your wallet is on another network. Switch it to " + name + " (chain " + want + "), then try again. Nothing was paid.");
    }
  }

  // Asks the token what the account has. A wallet that cannot say is not held up.
  async function wantFunds(provider, offer, account) {
    let balance;
    try {
      const data = "0x70a08231" + account.slice(2).toLowerCase().padStart(64, "0"); // balanceOf(address)
      balance = BigInt(await provider.request({ method: "eth_call", params: [{ to: offer.asset, data }, "latest"] }));
    } catch {
      return;
    }
    if (balance < BigInt(offer.amount)) {
      throw new Problem("This account has " + amount(balance) + " " + token(offer) + " on " + networks[offer.network].name + ", but this costs " +
        amount(offer.amount) + ". Choose another account in your wallet, or add funds to this one. Nothing was paid.");
    }
  }

  // --- the payment (EIP-3009, EIP-712, x402 version 2) ---

  const random = (bytes) => [...crypto.getRandomValues(new Uint8Array(bytes))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

  // What this page buys is charged once, however often it is signed for.
  const purchase = "pay_" + random(16);

  function extensions() {
    const echoed = structuredClone(challenge.extensions);
    const identifier = echoed["payment-identifier"];
    if (identifier && identifier.info) identifier.info.id = purchase;
    return echoed;
  }

  function authorize(offer, account) {
    const nonce = random(32);
    const time = Math.floor(Date.now() / 1000 + clockSkew);
    return {
      from: account, to: offer.payTo, value: offer.amount,
      validAfter: "0", validBefore: String(time + offer.maxTimeoutSeconds), nonce: "0x" + nonce,
    };
  }

  function typedData(offer, authorization) {
    const fields = (...pairs) => pairs.map((pair) => ({ type: pair[0], name: pair[1] }));
    return {
      types: {
        EIP712Domain: fields(["string", "name"], ["string", "version"], ["uint256", "chainId"], ["address", "verifyingContract"]),
        TransferWithAuthorization: fields(["address", "from"], ["address", "to"], ["uint256", "value"],
          ["uint256", "validAfter"], ["uint256", "validBefore"], ["bytes32", "nonce"]),
      },
      primaryType: "TransferWithAuthorization",
      domain: { name: offer.extra.name, version: offer.extra.version, chainId: chainOf(offer), verifyingContract: offer.asset },
      message: authorization,
    };
  }

  const encode = (value) => btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))));
  const decode = (text) => JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(text), (c) => c.charCodeAt(0))));

  async function sign(offer) {
    const provider = wallet();
    if (!provider) {
      throw new Problem("No wallet was found in this browser. Install one, such as a wallet extension, with " + token(offer) + " on " +
        networks[offer.network].name + ", then reload this page.");
    }
    progress("Your wallet asks you which account should pay.");
    const [account] = await ask(provider, "eth_requestAccounts", [], "to show an account");
    if (!account) throw new Problem("Your wallet returned no account. Nothing was paid.");
    await useNetwork(provider, offer);
    await wantFunds(provider, offer, account);
    progress("Your wallet asks you to sign the payment of " + amount(offer.amount) + " " + token(offer) + ".");
    const authorization = authorize(offer, account);
    const data = JSON.stringify(typedData(offer, authorization));
    const signature = await ask(provider, "eth_signTypedData_v4", [account, data], "to sign");
    const payment = { x402Version: 2, resource: challenge.resource, accepted: offer, payload: { signature, authorization } };
    if (challenge.extensions) payment.extensions = extensions();
    return { header: encode(payment), until: Number(authorization.validBefore) };
  }

  // --- asking with it ---

  // A signed payment is kept until its outcome is known, over a reload too, so that
  // nobody pays twice for an answer that was lost on its way.
  const keep = (payment) => {
    try {
      if (payment) sessionStorage.setItem(memory, JSON.stringify(payment));
      else sessionStorage.removeItem(memory);
    } catch { /* storage is switched off: it is kept as long as the page is */ }
  };
  const kept = () => {
    try {
      const payment = JSON.parse(sessionStorage.getItem(memory));
      return payment && Date.now() / 1000 + clockSkew < payment.until + 600 ? payment : null;
    } catch {
      return null;
    }
  };

  let payment = kept();
  const canAsk = (can) => {
    byID("again").hidden = !can;
    byID("pay").hidden = can;
  };
  const forget = () => {
    payment = null;
    keep(null);
    canAsk(false);
  };

  const reasons = {
    insufficient_funds: "the account has insufficient funds",
    invalid_exact_evm_payload_signature: "the signature does not match the account",
    invalid_exact_evm_payload_authorization_value_mismatch: "the price has changed: reload this page",
    invalid_exact_evm_payload_authorization_valid_before: "it took too long, and the payment has expired",
    invalid_exact_evm_payload_authorization_valid_after: "the payment is not valid yet",
    invalid_exact_evm_payload_recipient_mismatch: "the recipient has changed: reload this page",
    invalid_network: "the network has changed: reload this page",
    invalid_transaction_state: "the token rejected the transfer",
    payment_abandoned: "the request was interrupted before anything was charged",
  };

  async function request() {
    progress("Paid responses take a few seconds, until the payment is settled.");
    let response;
    try {
      response = await fetch(location.href.split("#")[0], { headers: { "PAYMENT-SIGNATURE": payment.header }, cache: "no-store" });
      if (response.ok) return await deliver(response);
    } catch (error) {
      canAsk(true);
      throw new Problem("The response was not received. Try again: the same payment is never charged twice.");
    }
    let receipt, code = "", message = "";
    try {
      receipt = decode(response.headers.get("PAYMENT-RESPONSE"));
    } catch { /* there is none */ }
    try {
      const body = await response.json();
      code = body.error ?? body.code ?? "";
      message = body.message ?? body.detail ?? "";
    } catch { /* the answer is no JSON */ }
    if (receipt?.success) {
      forget();
      throw new Problem("The payment was settled, but the request failed (" + response.status + "). " + message);
    }
    if (response.status === 402 || response.status === 400 || response.status === 431) {
      forget();
      throw new Problem("The payment was not accepted: " + (reasons[code] ?? (message || code || "no reason was given")) + ". Nothing was charged.");
    }
    if (code === "payment_already_used") {
      forget();
      throw new Problem("This payment was already used. " + message);
    }
    canAsk(true);
    if (code === "settlement_pending" || code === "payment_in_progress") {
      throw new Problem("The payment is still being settled. Wait a moment and try again: it is not charged twice.");
    }
    throw new Problem("The request failed (" + response.status + "). " + message + " The payment was not charged, and can be used again.");
  }

  // --- the answer ---

  const element = (name, properties) => Object.assign(document.createElement(name), properties);

  async function picture(type, blob) {
    if (type.startsWith("image/")) return element("img", { src: URL.createObjectURL(blob), alt: "The response, an image" });
    if (blob.size > textMax) return null;
    if (type === "text/html") { // without its scripts, and with nothing from elsewhere
      const frame = element("iframe", { title: "The response", srcdoc: await blob.text() });
      frame.setAttribute("sandbox", "");
      return frame;
    }
    const json = type === "application/json" || type.endsWith("+json");
    if (!json && !type.startsWith("text/")) return null;
    let text = await blob.text();
    try {
      if (json) text = JSON.stringify(JSON.parse(text), null, 2);
    } catch { /* it is shown as it came */ }
    return element("pre", { textContent: text, tabIndex: 0 });
  }

  function fileName(headers, type) {
    const named = /filename="?([^";]+)"?/i.exec(headers.get("Content-Disposition") ?? "");
    if (named) return named[1];
    const last = location.pathname.split("/").filter(Boolean).pop() ?? "answer";
    return last.includes(".") ? last : last + ({ "application/json": ".json", "text/html": ".html", "text/plain": ".txt" }[type] ?? "");
  }

  async function deliver(response) {
    const blob = await response.blob();
    const type = blob.type.split(";")[0].trim().toLowerCase();
    const shown = await picture(type, blob);
    const save = byID("save");
    save.href = URL.createObjectURL(blob);
    save.download = fileName(response.headers, type);
    byID("shown").replaceChildren(shown ?? element("p", { textContent: "The response is a file of " + blob.size + " bytes." }));
    if (!shown) save.click();
    thank(response.headers.get("PAYMENT-RESPONSE"));
    keep(null);
    show("progress", "");
    show("problem", "");
    for (const id of ["offer", "again"]) byID(id).hidden = true;
    byID("answer").hidden = false;
    byID("answer-heading").focus();
  }

  function thank(header) {
    const paid = byID("receipt");
    let receipt;
    try {
      receipt = decode(header);
    } catch {
      return;
    }
    const offer = challenge.accepts.find((other) => other.network === receipt.network) ?? chosen();
    byID("price").textContent = "Paid " + amount(receipt.amount ?? offer.amount) + " " + token(offer);
    if (!/^0x[0-9a-f]{64}$/i.test(receipt.transaction)) return;
    const { explorer } = networks[receipt.network] ?? {};
    paid.replaceChildren(explorer
      ? element("a", { href: explorer + "/tx/" + receipt.transaction, textContent: "View the transaction", target: "_blank", rel: "noopener noreferrer" })
      : "Transaction " + receipt.transaction);
  }

  // --- the buttons ---

  const guarded = (action) => async () => {
    busy(true);
    try {
      await action();
    } catch (error) {
      problem(error instanceof Problem ? error.message : "The payment failed: " + walletSays(error) + ". Nothing was paid.");
    } finally {
      busy(false);
    }
  };
  byID("pay").addEventListener("click", guarded(async () => {
    payment = await sign(chosen());
    keep(payment);
    await request();
  }));
  byID("again").addEventListener("click", guarded(request));
  for (const radio of document.querySelectorAll("input[name=offer]")) {
    radio.addEventListener("change", () => {
      byID("pay").textContent = "Pay " + amount(chosen().amount) + " " + token(chosen());
    });
  }
  byID("pay").hidden = false;
  if (payment) {
    canAsk(true);
    progress("You have already signed a payment for this page. Try again with it: it is not charged twice.");
  }
})();
