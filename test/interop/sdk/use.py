"""Uses every part of a client from PyPI, by its documentation, on a site and a service that the environment names.

It says what it did, and ends with an error at the first answer that the client does not take.
"""

import os
import time

from olostep import Olostep  # finds the service by OLOSTEP_BASE_API_URL

client = Olostep(api_key=os.environ["KEY"])
site = os.environ["SITE"]
title = os.environ["TITLE"]


def check(what, right, got):
    if not right:
        raise SystemExit(f"{what}: got {got!r}")
    print("ok", what)


scrape = client.scrapes.create(url_to_scrape=site, formats=["markdown", "text"])
check("scrape", title in scrape.markdown_content, scrape.markdown_content)
check("scrape, read again", client.scrapes.get(scrape.id).id == scrape.id, scrape.id)

batch = client.batches.create([site, site + "about"])
batch.wait_till_done(check_every_n_secs=1)
items = list(batch.items())
check("batch", len(items) == 2, items)
content = [item.retrieve(["markdown"]).markdown_content for item in items]
check("content of its items", all(content) and any(title in text for text in content), content)

crawl = client.crawls.create(start_url=site, max_pages=3)
crawl.wait_till_done(check_every_n_secs=1)
pages = list(crawl.pages())
check("crawl", len(pages) == 3 and pages[0].retrieve(["markdown"]).markdown_content, pages)

urls = list(client.maps.create(site).urls())
check("map", site in urls, urls)
few = list(client.maps.create(site, top_n=2).urls())
check("map of two URLs", len(few) == 2, few)
few = client.crawls.create(start_url=site, max_pages=5, max_depth=1, top_n=1)
few.wait_till_done(check_every_n_secs=1)
check("crawl of one link a page", len(list(few.pages())) == 2, few)

filled = client.scrapes.create(url_to_scrape=site, formats=["json"], llm_extract={"schema": {"properties": {"title": {"type": "string"}}}})
check("extraction by a schema without a type", "title" in filled.json_content, filled.json_content)
try:
    client.scrapes.create(url_to_scrape=site, parser="@olostep/google-search")
    raise SystemExit("a parser of search results pages: got no error")
except Exception as refused:
    check("parser of search results pages", "/v1/searches" in str(refused), refused)

answer = client.answers.create(task=f"What is {site} about?", json_format={"title": ""})
check("answer", client.answers.get(answer.id).id == answer.id, answer)
search = client.searches.create(query=title)
check("search", client.searches.get(search.id).id == search.id, search)

monitor = client.monitors.create(query=f"Tell me when the text of {site} changes", frequency="every day at 9:00")
until = time.monotonic() + 60
while client.monitors.get(monitor.id).status == "provisioning" and time.monotonic() < until:
    time.sleep(0.2)
check("monitor", client.monitors.get(monitor.id).status == "active", client.monitors.get(monitor.id))
check("its events", client.monitors.events(monitor.id) is not None, None)
check("pause", client.monitors.pause(monitor.id).status == "paused", None)
check("resume", client.monitors.resume(monitor.id).status == "active", None)
check("update", client.monitors.update(monitor.id, frequency="every hour").schedule.frequency == "every hour", None)
check("list", client.monitors.list().count == 1, None)
check("delete", client.monitors.delete(monitor.id).monitor_id == monitor.id, None)
