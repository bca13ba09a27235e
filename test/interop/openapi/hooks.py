"""Makes schemathesis reach the service's work: without real ids and pages, it would mostly be told that nothing is there.

Half of the requests get the ids of resources that are there, and most of the URLs are those of the sample site. What is sent
otherwise is schemathesis's own. Everything is decided by what is sent, so that a failure can be repeated.
"""

import json
import os
import urllib.request
import zlib

import schemathesis

EDGE, KEY, SITE = os.environ["EDGE"], os.environ["KEY"], os.environ["SITE"]


def call(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(EDGE + path, data, {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)


def made():
    """Makes one resource of each kind, and returns the parameters that name them."""
    scrape = call("POST", "/v1/scrapes", {"url_to_scrape": SITE})
    definition = {"schema": {"type": "object", "properties": {"title": {"type": "string"}}}, "fields": {"title": {"css": "h1"}}}
    return {
        "scrape_id": scrape["id"], "retrieve_id": scrape["retrieve_id"],
        "batch_id": call("POST", "/v1/batches", {"items": [{"url": SITE}, {"url": SITE + "missing"}]})["id"],
        "crawl_id": call("POST", "/v1/crawls", {"start_url": SITE, "max_pages": 5, "record": True})["id"],
        "map_id": call("POST", "/v1/maps", {"url": SITE})["id"],
        "search_id": call("POST", "/v1/searches", {"query": "toll road"})["id"],
        "answer_id": call("POST", "/v1/answers", {"task": f"What is the title of {SITE}?"})["id"],
        "monitor_id": call("POST", "/v1/monitors", {"query": f"Tell me when {SITE} changes"})["id"],
        "parser_id": call("POST", "/v1/parsers", {"name": "judged", **definition})["name"],
        "file_id": call("POST", "/v1/files", {"filename": "judged.json"})["id"],
        "schedule_id": call("POST", "/v1/schedules", {"method": "GET", "endpoint": "v1/scrapes/" + scrape["id"], "text": "every day"})["schedule"]["schedule_id"],
        "key_id": call("POST", "/user/keys", {"name": "judged"})["id"],
        "url": SITE,
    }


def made_once():
    """Makes them before the first run only: it may use up what a team can have."""
    path = os.environ["MADE"]
    if not os.path.exists(path):
        with open(path, "w", encoding="utf-8") as file:
            json.dump(made(), file)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


IDS = made_once()


def chosen(value, share):
    """Whether a value is among a share of all values, by what it is."""
    return zlib.crc32(repr(value).encode()) % 100 < share


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Closes the schemas of responses, which are open for fields of later versions: none may be undescribed now."""
    for schema in raw_schema["components"]["schemas"].values():
        if "properties" in schema:
            schema.setdefault("additionalProperties", False)


@schemathesis.hook
def map_path_parameters(context, parameters):
    if not isinstance(parameters, dict):
        return parameters
    if str(parameters.get("key_id", "")).startswith("key_"):
        return {**parameters, "key_id": IDS["key_id"]}  # schemathesis also sends ids that it has seen: not that of its own key
    if chosen(parameters, 50):
        return {name: IDS.get(name, value) for name, value in parameters.items()}
    return parameters


@schemathesis.hook
def map_query(context, query):
    if isinstance(query, dict) and "retrieve_id" in query and chosen(query, 50):
        return {**query, "retrieve_id": IDS["retrieve_id"]}
    return query


# The fields of requests with the URL of a page.
URLS = ("url", "url_to_scrape", "start_url")


@schemathesis.hook
def map_body(context, body):
    if not isinstance(body, dict) or not chosen(body, 80):
        return body
    body = {name: SITE if name in URLS and isinstance(value, str) else value for name, value in body.items()}
    if isinstance(body.get("items"), list):
        body["items"] = [{**item, "url": SITE} if isinstance(item, dict) else item for item in body["items"]]
    if isinstance(body.get("max_pages"), int):
        body["max_pages"] = min(body["max_pages"], 10)  # a wallet pays for each
    return body


@schemathesis.check
def no_internal_error(context, response, case):
    """An internal error is described, and always a fault."""
    assert response.status_code != 500, response.text
