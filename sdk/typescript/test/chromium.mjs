// In a headless Chromium: a page of another origin than the service's, with the bundle of the live checks.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

const entry = `
  import { live } from "./live.mjs";
  const report = (result) => fetch("/done", { method: "POST", body: JSON.stringify(result) });
  live(${process.env.LIVE}).then((done) => report({ done: done.length }), (error) => report({ error: String(error?.stack) }));`;
const { outputFiles } = await build({ stdin: { contents: entry, resolveDir: import.meta.dirname }, bundle: true, format: "esm", platform: "browser", write: false });

const server = createServer();
const reported = new Promise((resolve) => {
  server.on("request", async (request, response) => {
    if (request.url === "/done") {
      let text = "";
      for await (const part of request) text += part;
      response.end();
      resolve(JSON.parse(text));
    } else if (request.url === "/live.js") {
      response.setHeader("Content-Type", "text/javascript").end(outputFiles[0].contents);
    } else {
      response.setHeader("Content-Type", "text/html").end('<!doctype html><script type="module" src="/live.js"></script>');
    }
  });
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const profile = await mkdtemp(join(tmpdir(), "turnpike-sdk-"));
const args = ["--headless", "--no-sandbox", "--disable-gpu", "--no-proxy-server", `--user-data-dir=${profile}`, "--remote-debugging-port=0"];
const browser = spawn(process.env.CHROMIUM, [...args, `http://127.0.0.1:${server.address().port}/`], { stdio: "ignore" });
const ended = new Promise((resolve) => browser.on("exit", resolve));
const result = await Promise.race([reported, ended.then((code) => ({ error: `Chromium ended with ${code}` }))]);
browser.kill();
await ended;
server.closeAllConnections();
server.close();
await rm(profile, { recursive: true, force: true, maxRetries: 5 });
if (result.error) throw new Error(result.error);
console.log(`Chromium: ${result.done} checks`);
