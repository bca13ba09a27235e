// What must compile for users, and what must not.
import { type api, Turnpike, type WebhookEvent, verifyWebhook, type Wallet } from "@turnpike-edge/sdk";
import { createWalletClient, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";

declare global {
  const process: { env: Record<string, string | undefined> };
}

const account = privateKeyToAccount("0x01");
const walletClient = createWalletClient({ account, transport: http() });
const wallets: Wallet[] = [account, { address: account.address, signTypedData: (data) => walletClient.signTypedData({ account, ...data }) }];

export async function use(client: Turnpike): Promise<void> {
  const scrape: api.Scrape = await client.scrape("https://a.test/", { formats: ["markdown"], llm_extract: { prompt: "titles" } });
  const title: string | null = scrape.result.page_metadata.title;
  const page: api.CrawlPage[] = await client.crawls.pages("crawl_1").all();
  const event: WebhookEvent<{ id: string }> = await verifyWebhook<{ id: string }>("", new Headers(), "whsec_");
  const credits: number | null = (await client.quotes.scrape("https://a.test/")).credits;
  void [title, page, event, credits, new Turnpike({ baseURL: "https://a.test", wallet: wallets[0], maxSpend: 1 })];
  // @ts-expect-error an unknown option
  void client.scrape("https://a.test/", { format: ["markdown"] });
  // @ts-expect-error an unknown format
  void client.scrape("https://a.test/", { formats: ["pictures"] });
  // @ts-expect-error max_pages is required
  void client.crawl("https://a.test/", {});
  // @ts-expect-error a quote is not a scrape
  scrape.credits;
}
