// In workerd, the runtime of Cloudflare's workers: a worker with the bundle of the live checks.
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import workerdPackage from "workerd";

const entry = `
  import { live } from "./live.mjs";
  export default {
    async fetch(request) {
      try {
        return Response.json({ done: (await live(await request.json())).length });
      } catch (error) {
        return Response.json({ error: String(error?.stack) });
      }
    },
  };`;
const dir = await mkdtemp(join(tmpdir(), "turnpike-sdk-"));
await build({ stdin: { contents: entry, resolveDir: import.meta.dirname }, bundle: true, format: "esm", platform: "browser", conditions: ["workerd", "worker"], outfile: join(dir, "worker.js") });
await writeFile(join(dir, "config.capnp"), `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (modules = [(name = "worker", esModule = embed "worker.js")], compatibilityDate = "2026-09-01")),
    (name = "internet", network = (allow = ["public", "private", "local"]))
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);`);
const workerd = spawn(workerdPackage.default, ["serve", "--control-fd=3", join(dir, "config.capnp")], { stdio: ["ignore", "inherit", "inherit", "pipe"] });
const ended = new Promise((resolve) => workerd.on("exit", resolve));
const port = await new Promise((resolve, reject) => {
  let text = "";
  workerd.stdio[3].on("data", (part) => {
    text += part;
    const match = /"port":\s*(\d+)/.exec(text);
    if (match) resolve(match[1]);
  });
  ended.then((code) => reject(new Error(`workerd ended with ${code}`)));
});
const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: process.env.LIVE });
const result = await response.json();
workerd.kill();
await ended;
await rm(dir, { recursive: true, force: true });
if (result.error) throw new Error(result.error);
console.log(`workerd: ${result.done} checks`);
