import assert from "node:assert/strict";
import { test } from "node:test";
import { build } from "esbuild";

/** The size of a program, bundled and minified. */
async function sizeOf(contents) {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: import.meta.dirname }, bundle: true, minify: true, format: "esm", platform: "browser", target: "es2022", write: false, metafile: true,
  });
  return { bytes: outputFiles[0].contents.length, files: Object.keys(metafile.inputs).map((name) => name.split("/").at(-1)) };
}

test("everything is at most 30 KB, and has no dependency", async (t) => {
  const { bytes } = await sizeOf('export * from "@turnpike-edge/sdk";');
  t.diagnostic(`${bytes} bytes`);
  assert.ok(bytes <= 30_000, `${bytes} bytes`);
});

test("who only verifies webhooks gets nothing else", async (t) => {
  for (const from of ["@turnpike-edge/sdk", "@turnpike-edge/sdk/webhooks"]) {
    const { bytes } = await sizeOf(`export { verifyWebhook } from "${from}";`);
    t.diagnostic(`${from}: ${bytes} bytes`);
    assert.ok(bytes <= 3_000, `${from}: ${bytes} bytes`);
  }
});
