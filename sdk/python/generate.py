"""Writes what is generated in this package: the types, from the service's OpenAPI document, and the sync client, from the async one.

`make sdk-python-generate` runs it with the pinned generator. With --check it changes nothing, and fails if a file is not current.
"""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterator, List, Set, Tuple

HERE = Path(__file__).resolve().parent
DOCUMENT = HERE.parent.parent / "backend" / "api" / "testdata" / "openapi.json"
PACKAGE = HERE / "src" / "turnpike_edge"

# Bodies whose fields are keyword arguments of a method, without those that the method takes by position.
OPTIONS = {
    "AccountNewKey": ("KeyOptions", ["name"]),
    "AnswerRequest": ("AnswerOptions", ["task"]),
    "BatchRequest": ("BatchOptions", ["items", "webhook_url"]),
    "CrawlRequest": ("CrawlOptions", ["start_url", "url", "webhook_url"]),
    "MapRequest": ("MapOptions", ["url"]),
    "MonitorRequest": ("MonitorOptions", ["query"]),
    "MonitorUpdateRequest": ("MonitorUpdate", []),
    "ParserDefinition": ("ParserDefinition", []),
    "ParserTestRequest": ("ParserTestOptions", ["parser"]),
    "ScheduleRequest": ("ScheduleOptions", []),
    "ScrapeRequest": ("ScrapeOptions", ["url_to_scrape"]),
    "SearchRequest": ("SearchOptions", ["query"]),
}
# Names for objects that the document describes inline, by the property that has them.
INLINE = {("BatchRequest", "items"): "BatchItemInput"}

Schema = Dict[str, Any]


def references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def reachable(document: Schema, roots: Any) -> Set[str]:
    """Returns the names of the schemas that the roots lead to."""
    found: Set[str] = set()
    todo = list(references(roots))
    while todo:
        pointer = todo.pop()
        if pointer not in found:
            found.add(pointer)
            section, name = pointer.split("/")[-2:]
            todo.extend(references(document["components"][section][name]))
    return {pointer.split("/")[-1] for pointer in found if pointer.startswith("#/components/schemas/")}


def simplify_parsers(node: Any, only_text: bool) -> None:
    """A parser is its id, or an object with it. Methods take the id. A response may have either."""
    if isinstance(node, dict):
        choices = node.get("oneOf", [])
        objects = [c for c in choices if list(c.get("properties", {})) == ["id"]]
        for choice in objects:
            if only_text:
                choices.remove(choice)
            else:
                choice.pop("properties")
                choice["additionalProperties"] = True
        for value in node.values():
            simplify_parsers(value, only_text)
    elif isinstance(node, list):
        for value in node:
            simplify_parsers(value, only_text)


def split(document: Schema) -> Tuple[Dict[str, Schema], Dict[str, Schema]]:
    """Returns the schemas of requests and those of responses. A schema of both is in both."""
    schemas: Dict[str, Schema] = document["components"]["schemas"]
    operations = [o for path in document["paths"].values() for o in path.values() if isinstance(o, dict)]
    given = reachable(document, [o.get("requestBody") for o in operations])
    returned = reachable(document, [o.get("responses") for o in operations])
    params = {name: copy.deepcopy(schemas[name]) for name in sorted(given)}
    for (owner, prop), name in INLINE.items():
        inline = params[owner]["properties"][prop]["items"]
        if "$ref" not in inline:
            params[name] = dict(inline)
            inline.clear()
            inline["$ref"] = f"#/components/schemas/{name}"
        else:
            params[name] = params.pop(inline["$ref"].rsplit("/", 1)[-1])
            inline["$ref"] = f"#/components/schemas/{name}"
    for body, (options, positional) in OPTIONS.items():
        schema = params.pop(body)
        for name in positional:
            schema["properties"].pop(name)
        schema["required"] = [name for name in schema.get("required", []) if name not in positional]
        params[options] = schema
    types = {name: copy.deepcopy(schemas[name]) for name in sorted(returned)}
    simplify_parsers(params, only_text=True)
    simplify_parsers(types, only_text=False)
    return params, types


def generate_types(schemas: Dict[str, Schema], title: str, kind: str, *arguments: str) -> str:
    document = {
        "openapi": "3.1.0", "info": {"title": "types", "version": "1"}, "paths": {},
        "components": {"schemas": schemas},
    }
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "openapi.json", Path(folder) / "types.py"
        source.write_text(json.dumps(document))
        subprocess.run(  # noqa: S603
            [
                sys.executable, "-m", "datamodel_code_generator", "--input", str(source), "--input-file-type", "openapi",
                "--output", str(target), "--output-model-type", kind, "--target-python-version", "3.10",
                "--no-use-union-operator", "--enum-field-as-literal", "all", "--use-single-line-docstring",
                "--use-schema-description", "--use-field-description", "--disable-timestamp", "--formatters", "builtin",
                "--use-double-quotes", "--type-mappings", "date-time=string", "uri=string",
                "--custom-file-header", f'"""{title}"""\n\n# Generated by generate.py. Do not edit.', *arguments,
            ],
            check=True,
        )
        text = target.read_text()
    numbered = re.findall(r"^class (\w+\d)\b", text, re.M)
    if numbered:
        raise SystemExit(f"{title}: the document has inline objects that need names in INLINE: {', '.join(numbered)}")
    return text


def generate_sync(source: Path) -> str:
    text = source.read_text()
    for pattern, replacement in [
        (r'^"""(.*?)[^".]*generated from this file[^"]*"""', rf'"""\1"""\n\n# Generated from {source.name} by generate.py. Do not edit.'),
        (r"\bimport (anyio|asyncio)\n", ""),
        (r"\banyio\.sleep\b", "time.sleep"),
        (r"\bIsolatedAsyncioTestCase\b", "TestCase"),
        (r"\bAsync(?=[A-Z])", ""),
        (r"\basync (?=def|for|with)", ""),
        (r"\bawait ", ""),
        (r"\bAwaitable\[(\w+)\]", r"\1"),
        (r"__a(iter|next|enter|exit)__", r"__\1__"),
        (r"\basyncSetUp\b", "setUp"),
        (r"\basyncTearDown\b", "tearDown"),
        (r"\ba(close|read|send)\(", r"\1("),
        (r"\baiter_(lines|bytes)\(", r"iter_\1("),
        (r"([Tt]he) async client", r"\1 sync client"),
        (r" for asyncio and trio", ""),
    ]:
        text = re.sub(pattern, replacement, text)
    names = re.search(r"^from typing import (.+)$", text, re.M)
    if names:  # Iterator twice, or what only the async client needs
        rest = text.replace(names.group(0), "")
        used = [n for n in sorted(set(names.group(1).split(", "))) if re.search(rf"\b{n}\b", rest)]
        text = text.replace(names.group(0), f"from typing import {', '.join(used)}")
    return text


def outputs() -> List[Tuple[Path, str]]:
    params, types = split(json.loads(DOCUMENT.read_text()))
    data = generate_types(
        types, "What the service returns.", "dataclasses.dataclass",
        "--base-class", "turnpike_edge._object.Object",
    ).replace("@dataclass\n", "@dataclass(repr=False)\n")
    return [
        (PACKAGE / "params.py", generate_types(params, "What requests have as options.", "typing.TypedDict", "--no-use-closed-typed-dict")),
        (PACKAGE / "types.py", data),
        (PACKAGE / "_sync.py", generate_sync(PACKAGE / "_async.py")),
        (HERE / "tests" / "test_service_sync.py", generate_sync(HERE / "tests" / "test_service_async.py")),
    ]


def main() -> None:
    check = sys.argv[1:] == ["--check"]
    stale = [path for path, text in outputs() if not path.exists() or path.read_text() != text]
    if check and stale:
        raise SystemExit(f"not current, run make sdk-python-generate: {', '.join(str(p) for p in stale)}")
    for path, text in outputs():
        if not check:
            path.write_text(text)


if __name__ == "__main__":
    main()
