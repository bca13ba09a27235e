// The loop of every program here: one JSON object a line in, with an id; one line out, with the same id. It ends with
// its input, so that none outlives the test that has started it.
import { createInterface } from "node:readline";

export function serveLines(handle) {
  const lines = createInterface({ input: process.stdin });
  lines.on("line", async (line) => {
    const { id, ...order } = JSON.parse(line);
    let answer;
    try {
      answer = await handle(order);
    } catch (error) {
      answer = { error: describe(error) };
    }
    process.stdout.write(JSON.stringify({ id, ...answer }) + "\n");
  });
  lines.on("close", () => process.exit(0));
}

export function describe(error) {
  return error?.cause ? `${error.message}: ${describe(error.cause)}` : String(error?.message ?? error);
}
