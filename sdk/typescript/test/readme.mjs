// Runs the examples of the README as they are, but on the site that the service can fetch; and compiles them, strictly.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transform } from "esbuild";

const dir = import.meta.dirname;
const { url, key, walletKey, site } = JSON.parse(process.env.LIVE);
const examples = [...readFileSync(join(dir, "README.md"), "utf8").matchAll(/^```ts\n(.*?)^```/gms)].map(([, text]) => text.replaceAll("https://example.com/", site));
if (examples.length < 7) throw new Error(`the README has ${examples.length} examples in TypeScript, want at least 7`);

const sources = examples.map((text, i) => (writeFileSync(join(dir, `example${i}.ts`), text), `example${i}.ts`));
const options = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom,dom.iterable"];
const compile = (...args) => execFileSync(process.execPath, [process.env.TSC, ...options, ...args], { cwd: dir, stdio: ["ignore", 2, 2] });
compile("--skipLibCheck", "types.ts", ...sources); // not viem's declarations, which take a minute
compile(sources[0]); // the package's

const env = { ...process.env, TURNPIKE_URL: url, TURNPIKE_KEY: key, WALLET_KEY: `0x${walletKey}` };
for (const [i, text] of examples.entries()) {
  const file = join(dir, `example${i}.mjs`);
  writeFileSync(file, (await transform(text, { loader: "ts", target: "es2022" })).code);
  execFileSync(process.execPath, [file], { env, stdio: ["ignore", "pipe", 2], timeout: 120_000 });
}
console.log(`README: ${examples.length} examples`);
