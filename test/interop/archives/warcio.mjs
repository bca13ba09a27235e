// npm's warcio (2.x) reads WARC files, and writes one, on orders of a line of JSON each.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { appendFile } from "node:fs/promises";
import { WARCParser, WARCRecord, WARCSerializer } from "warcio";
import { serveLines } from "../lines.mjs";

// read lists the records of a file, with digests of what this reader takes for their payloads.
async function read(file) {
  const records = [];
  const parser = new WARCParser(createReadStream(file));
  for await (const record of parser) {
    const sent = createHash("sha256").update(await record.readFully(false)).digest("hex");
    records.push({
      version: record.warcHeaders.statusline,
      type: record.warcType,
      target: record.warcTargetURI ?? "",
      recordID: record.warcHeader("WARC-Record-ID"),
      concurrentTo: record.warcHeader("WARC-Concurrent-To") ?? "",
      digest: record.warcHeader("WARC-Payload-Digest") ?? "",
      status: record.httpHeaders?.statusCode ?? 0,
      mediaType: record.httpHeaders?.headers.get("content-type") ?? "",
      sent,
    });
  }
  return { records };
}

// write adds a page to a file: the response, and the request that it answers.
async function write({ file, url, html }) {
  const encoder = new TextEncoder();
  const common = { url, date: new Date().toISOString(), warcVersion: "WARC/1.1" };
  const response = await WARCRecord.create(
    { ...common, type: "response", statusline: "HTTP/1.1 200 OK", httpHeaders: { "Content-Type": "text/html; charset=utf-8" } },
    [encoder.encode(html)],
  );
  const request = await WARCRecord.create({
    ...common, type: "request", statusline: `GET ${new URL(url).pathname} HTTP/1.1`, httpHeaders: { Host: new URL(url).host },
    warcHeaders: { "WARC-Concurrent-To": response.warcHeader("WARC-Record-ID") },
  });
  for (const record of [response, request]) {
    await appendFile(file, await WARCSerializer.serialize(record, { gzip: true, digest: { algo: "sha-256", prefix: "sha256:", base32: true } }));
  }
  return {};
}

serveLines((order) => (order.html === undefined ? read(order.file) : write(order)));
