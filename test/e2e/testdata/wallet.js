// A wallet as browsers inject it (EIP-1193): each request goes to the test, which has
// the key, and comes back with its result or error.
(() => {
  const waiting = new Map();
  let last = 0;
  globalThis.walletAnswers = (id, result, error) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error) reject(Object.assign(new Error(error.message), { code: error.code }));
    else resolve(result);
  };
  globalThis.ethereum = {
    request: ({ method, params }) => new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      globalThis.walletAsked(JSON.stringify({ id: last, method, params: params ?? [] }));
    }),
  };
})();
