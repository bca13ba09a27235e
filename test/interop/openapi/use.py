"""Makes the first call of every resource, and reads each response by models generated from the OpenAPI document.

mypy checks that the models have what is used here, and pydantic that responses have what the models say.
"""

import os
from typing import Annotated, Any, TypeVar

import httpx
from pydantic import BaseModel, Field, TypeAdapter

import types_ as api  # made by datamodel-codegen

client = httpx.Client(base_url=os.environ["EDGE"], headers={"Authorization": f"Bearer {os.environ['KEY']}"}, timeout=60)
site = os.environ["SITE"]
title = os.environ["TITLE"]

T = TypeVar("T")


def check(what: str, right: bool, got: object) -> None:
    if not right:
        raise SystemExit(f"{what}: got {got!r}")
    print("ok", what)


def read(form: type[T], response: httpx.Response, status: int = 200) -> T:
    """Reads a response strictly by a model, or by a union that is told apart by its object."""
    check(f"{response.request.method} {response.request.url.path}", response.status_code == status, response.text)
    adapter: TypeAdapter[T] = TypeAdapter(form)
    return adapter.validate_json(response.content)


def get(form: type[T], path: str, **params: str) -> T:
    return read(form, client.get(path, params=params))


def post(form: type[T], path: str, body: BaseModel | None = None, status: int = 200, **params: str) -> T:
    sent: Any = None if body is None else body.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return read(form, client.post(path, json=sent, params=params), status)


class ScrapeOrQuote(BaseModel):
    value: Annotated[api.Scrape | api.Quote, Field(discriminator="object")]


request = api.ScrapeRequest(url_to_scrape=site)  # no other field is required
scrape = post(api.Scrape, "/v1/scrapes", api.ScrapeRequest(url_to_scrape=site, formats=["markdown"]))
check("markdown", title in (scrape.result.markdown_content or ""), scrape.result)
quote = post(api.Quote, "/v1/scrapes", request, dry_run="true")
check("price", quote.credits == 1 and quote.usd == 0.001, quote)
either = ScrapeOrQuote.model_validate({"value": quote.model_dump()}).value
check("quote, told apart", isinstance(either, api.Quote), either)
get(api.Scrape, f"/v1/scrapes/{scrape.id}")
check("content", title in (get(api.ScrapeRetrieved, "/v1/retrieve", retrieve_id=scrape.retrieve_id).markdown_content or ""), None)

page_map = post(api.Map, "/v1/maps", api.MapRequest(url=site))
check("URLs", len(page_map.urls) > 0, page_map)
batch = post(api.Batch, "/v1/batches", api.BatchRequest.model_validate({"items": [{"url": site}]}))
check("counts by both names", batch.total_urls == batch.items_total == 1, batch)
get(api.Batch, f"/v1/batches/{batch.id}")
get(api.BatchItemList, f"/v1/batches/{batch.id}/items")
crawl = post(api.Crawl, "/v1/crawls", api.CrawlRequest(start_url=site, max_pages=2))
get(api.Crawl, f"/v1/crawls/{crawl.id}")
get(api.CrawlPageList, f"/v1/crawls/{crawl.id}/pages")
search = post(api.Search, "/v1/searches", api.SearchRequest(query=title))
get(api.Search, f"/v1/searches/{search.id}")
answer = post(api.Answer, "/v1/answers", api.AnswerRequest(task=f"What is the title of {site}?", json_format={"title": ""}))
get(api.Answer, f"/v1/answers/{answer.id}")

monitor = post(api.Monitor, "/v1/monitors", api.MonitorRequest(query=f"Tell me when {site} changes"), status=202)
get(api.Monitor, f"/v1/monitors/{monitor.id}")
get(api.MonitorPlanning, f"/v1/monitors/{monitor.id}/planning")
get(api.MonitorEventList, f"/v1/monitors/{monitor.id}/events")
get(api.MonitorRunList, f"/v1/monitors/{monitor.id}/runs")
missing = read(api.MonitorError, client.get("/v1/monitors/monitor_0"), 404)
check("error of a monitor", missing.error == missing.detail and missing.object == "error", missing)

parser = post(api.Parser, "/v1/parsers", api.ParserDefinition.model_validate({
    "name": "heading", "schema": {"type": "object", "properties": {"title": {"type": "string"}}}, "fields": {"title": {"css": "h1"}},
}))
check("found", post(api.ParserTestResult, "/v1/parsers/test", api.ParserTestRequest(parser=parser.name, url=site)).valid, parser)
file = post(api.FileUpload, "/v1/files", api.FileCreateBody(filename="context.json"))
check("upload", httpx.put(str(file.upload_url), json={}).is_success, file)
post(api.File, f"/v1/files/{file.id}/complete")
schedule = post(api.ScheduleAnswer, "/v1/schedules", api.ScheduleRequest(method="GET", endpoint=f"v1/scrapes/{scrape.id}", text="every day"))
check("recurring schedule", schedule.schedule.execute_at is None, schedule)


class Page(BaseModel):
    """What all lists have in common."""

    object: str
    data: list[Any]
    has_more: bool
    next_cursor: str | None


lists: dict[str, type[BaseModel]] = {
    "/v1/batches": api.BatchList, "/v1/crawls": api.CrawlList, "/v1/monitors": api.MonitorList, "/v1/parsers": api.ParserList,
    "/v1/files": api.FileList, "/v1/schedules": api.ScheduleList, "/user/keys": api.AccountKeyList,
    "/v1/webhooks/deliveries": api.WebhookList, "/v1/notifications/deliveries": api.NotificationList,
}
for path, form in lists.items():
    page = Page.model_validate(get(form, path).model_dump())
    check(f"page of {path}", page.has_more == (page.next_cursor is not None), page)

get(api.WebhookSecret, "/v1/webhooks/secret")
get(api.AccountInfo, "/user/credits/info")
get(api.AccountUsage, "/user/usage")
get(api.PricingAnswer, "/pricing")
refused = read(api.Error, client.post("/v1/scrapes", json={"url_to_scrape": ""}), 400)
check("error", refused.code == "validation_error", refused)
challenge = read(api.PaymentRequired, client.post("/x402/v1/scrapes", json={"url_to_scrape": site}), 402)
check("challenge", len(challenge.accepts) > 0, challenge)
