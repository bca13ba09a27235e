"""Uses Firecrawl's client from PyPI, and the loaders of LangChain and LlamaIndex around it, unchanged, on a site and a service
that the environment names.

It says what it did, and ends with an error at the first answer that a client does not take.
"""

import os
import time
import warnings

warnings.simplefilter("ignore")

from firecrawl import Firecrawl
from firecrawl.v2.types import JsonFormat, MonitorSchedule, ScrapeOptions
from firecrawl.v2.utils.error_handler import BadRequestError, FirecrawlError, PaymentRequiredError, UnauthorizedError
from langchain_community.document_loaders.firecrawl import FireCrawlLoader
from llama_index.readers.web.firecrawl_web.base import FireCrawlWebReader

key, api, site, title = (os.environ[name] for name in ("KEY", "API", "SITE", "TITLE"))
client = Firecrawl(api_key=key, api_url=api)
schema = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}


def check(what, right, got=None):
    if not right:
        raise SystemExit(f"{what}: got {got!r}"[:2000])
    print("ok", what)


def refused(what, kind, call, *parts):
    try:
        got = call()
    except kind as error:
        check(f"refused: {what}", all(part in str(error) for part in parts), error)
        return
    raise SystemExit(f"refused: {what}: got {got!r}"[:2000])


page = client.scrape(site, formats=["markdown", "links"])
check("scrape", title in page.markdown and page.links and page.metadata.status_code == 200 and page.metadata.credits_used == 1, page)
page = client.scrape(site, formats=["html", "rawHtml"], only_main_content=False, exclude_tags=[])
check("html and rawHtml", page.html and page.raw_html, page)
page = client.scrape(site, formats=[JsonFormat(type="json", schema=schema)], max_age=0)
check("json by a schema", "title" in page.json, page)

job = client.crawl(site, limit=4, scrape_options=ScrapeOptions(formats=["markdown"]), poll_interval=1, timeout=60)
check("crawl", job.status == "completed" and len(job.data) == job.completed == 4 and job.data[0].markdown, job)
begun = client.start_crawl(site)
check("crawl without a limit", begun.id and client.get_crawl_status(begun.id).status in ("scraping", "completed"), begun)
check("errors of a crawl", client.get_crawl_errors(begun.id).errors is not None)
check("active crawls", client.get_active_crawls().success)
try:
    client.cancel_crawl(begun.id)  # it holds what the balance affords
except FirecrawlError as over:
    check("cancel a crawl that is over", "409" in str(over), over)
job = client.batch_scrape([site, site + "about"], formats=["markdown"], poll_interval=1, wait_timeout=60)
check("batch", job.status == "completed" and len(job.data) == 2, job)
begun = client.start_batch_scrape([f"{site}?page={n}" for n in range(12)], idempotency_key=f"py-{time.time()}")
until = time.monotonic() + 60
while client.get_batch_scrape_status(begun.id).status == "scraping" and time.monotonic() < until:
    time.sleep(0.5)
check("documents of more than one response", len(client.get_batch_scrape_status(begun.id).data) == 12)
check("errors of a batch", client.get_batch_scrape_errors(begun.id).errors == [])
check("map", 1 < len(client.map(site, limit=5).links) <= 5)
check("search", client.search(title, limit=3).web is not None)
check("extract", "title" in client.extract([site], schema=schema).data)
check("agent", client.agent(urls=[site], prompt="What is the title of the page?", schema=schema).status == "completed")

monitor = client.create_monitor(
    name="toll", schedule=MonitorSchedule(text="every day at 9:00"), targets=[{"type": "scrape", "urls": [site]}])
check("monitor", monitor.name == "toll" and monitor.status == "active", monitor)
until = time.monotonic() + 60
while not client.get_monitor(monitor.id).next_run_at and time.monotonic() < until:
    time.sleep(0.5)
run = client.run_monitor(monitor.id)
check("run a monitor", run.monitor_id == monitor.id, run)
check("its checks", client.list_monitor_checks(monitor.id))
check("a check", client.get_monitor_check(monitor.id, run.id).id == run.id)
check("pause a monitor", client.update_monitor(monitor.id, status="paused").status == "paused")
check("list of monitors", any(m.id == monitor.id for m in client.list_monitors()))
check("delete a monitor", client.delete_monitor(monitor.id))
check("credits", client.get_credit_usage().remaining_credits > 0)
check("concurrency", client.get_concurrency().max_concurrency > 0)

refused("a format", BadRequestError, lambda: client.scrape(site, formats=["changeTracking"]), "changeTracking", "/v2/monitor")
refused("headers", BadRequestError, lambda: client.scrape(site, headers={"Accept": "text/plain"}), "headers")
refused("a path that no glob matches", BadRequestError, lambda: client.start_crawl(site, include_paths=["a|b"]), "includePaths")
refused("a crawl that is none", FirecrawlError, lambda: client.get_crawl_status("crawl_x"), "404")
refused("the queue", FirecrawlError, client.get_queue_status, "404")
refused("more than the balance", PaymentRequiredError, lambda: client.start_crawl(site, limit=100000), "credits")
refused("a wrong key", UnauthorizedError, lambda: Firecrawl(api_key="fc-none", api_url=api).scrape(site), "API key")

loaded = FireCrawlLoader(url=site, api_key=key, api_url=api, mode="scrape").load()
check("LangChain: scrape", title in loaded[0].page_content, loaded)
loaded = FireCrawlLoader(url=site, api_key=key, api_url=api, mode="crawl", params={"limit": 2}).load()
check("LangChain: crawl", len(loaded) == 2, loaded)
check("LangChain: map", FireCrawlLoader(url=site, api_key=key, api_url=api, mode="map").load())
check("LangChain: extract", FireCrawlLoader(url=site, api_key=key, api_url=api, mode="extract", params={"schema": schema}).load())
read = FireCrawlWebReader(api_key=key, api_url=api, mode="scrape").load_data(url=site)
check("LlamaIndex: scrape", title in read[0].text, read)
read = FireCrawlWebReader(api_key=key, api_url=api, mode="crawl", params={"limit": 2}).load_data(url=site)
check("LlamaIndex: crawl", len(read) == 2, read)
check("LlamaIndex: map", FireCrawlWebReader(api_key=key, api_url=api, mode="map").load_data(url=site))
check("LlamaIndex: search", FireCrawlWebReader(api_key=key, api_url=api, mode="search", params={"limit": 2}).load_data(query=title) is not None)
refused("LlamaIndex: extract, which sends a prompt alone, without a language model", BadRequestError, lambda: FireCrawlWebReader(
    api_key=key, api_url=api, mode="extract", params={"prompt": "the title"}).load_data(urls=[site]), "language model")
