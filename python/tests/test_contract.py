"""
The package has the fields of the contract, as the running server describes it, and both clients have the same calls.
"""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing
from collections.abc import Iterator, Mapping
from typing import Any

import httpx
import pytest
from conftest import ADMIN_TOKEN, RunningServer

import asof_client
from asof_client import AsyncClient, Client, fields
from asof_client.answers import Answer, CrawlJobs, Crawls, Part, wire_name

Schema = dict[str, Any]

ANSWERS: dict[str, type[Part]] = {
    "SearchResponse": asof_client.SearchAnswer,
    "PassagesResponse": asof_client.Passages,
    "MapResponse": asof_client.SiteMap,
    "FetchResponse": asof_client.FetchedPage,
    "VerifyResponse": asof_client.Verification,
    "ExtractResponse": asof_client.Extraction,
    "HistoryResponse": asof_client.History,
    "CrawlJob": asof_client.CrawlJob,
    "CrawlJobPages": asof_client.CrawlJobPages,
    "CrawlJobErrors": asof_client.CrawlJobErrors,
    "CrawlJobs": CrawlJobs,
    "PageResponse": asof_client.Page,
    "FeedbackResponse": asof_client.Thanks,
    "CapturesResponse": asof_client.Captures,
    "FieldsResponse": asof_client.FieldsOfPages,
    "SuggestResponse": asof_client.Suggestions,
}
ROUTES: dict[tuple[str, str], type[Part]] = {
    ("/admin/pages/add", "post"): asof_client.AdditionReport,
    ("/admin/pages/remove", "post"): asof_client.DeletionReport,
    ("/admin/pages/purge", "post"): asof_client.DeletionReport,
    ("/admin/crawls/start", "post"): asof_client.CrawlName,
    ("/admin/crawls/stop", "post"): asof_client.CrawlName,
    ("/admin/crawls/list", "get"): Crawls,
    ("/admin/relevance", "get"): asof_client.RelevanceAsOf,
    ("/admin/relevance", "put"): asof_client.RelevanceAsOf,
}
REQUESTS: dict[tuple[str, str], tuple[Any, set[str]]] = {
    ("/v1/search", "post"): (fields.SearchFields, {"query"}),
    ("/v1/passages", "post"): (fields.PassagesFields, {"query"}),
    ("/v1/map", "post"): (fields.MapFields, {"url"}),
    ("/v1/crawls", "post"): (fields.CrawlJobFields, set()),
    ("/v1/fetch", "get"): (fields.FetchFields, {"url"}),
    ("/v1/extract", "post"): (fields.ExtractFields, {"urls", "schema"}),
    ("/v1/history", "get"): (fields.HistoryFields, {"url"}),
    ("/v1/page", "get"): (fields.PageFields, {"url"}),
    ("/v1/suggest", "get"): (fields.SuggestFields, {"q"}),
    ("/v1/fields", "get"): (fields.FieldsFields, set()),
    ("/admin/pages/remove", "post"): (fields.DeletionFields, set()),
    ("/admin/crawls/start", "post"): (fields.CrawlFields, set()),
}


@pytest.fixture(scope="module")
def document(server: RunningServer) -> Schema:
    """The OpenAPI document with the routes of administration."""
    answer = httpx.get(f"{server.url}/openapi.json", headers={"Authorization": f"Bearer {ADMIN_TOKEN}"})
    return typing.cast("Schema", answer.json())


def resolved(document: Schema, schema: Schema) -> Schema:
    """Follows a reference, and leaves null out of alternatives."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/components/schemas/")
        return resolved(document, document["components"]["schemas"][name])
    alternatives = [each for each in schema.get("anyOf", []) if each.get("type") != "null"]
    return resolved(document, alternatives[0]) if len(alternatives) == 1 else schema


def part_in(hint: Any) -> type[Part] | None:
    """The part of an answer in a type such as ``tuple[Result, ...] | None``."""
    if isinstance(hint, type) and issubclass(hint, Part):
        return hint
    return next(filter(None, map(part_in, typing.get_args(hint))), None)


def object_in(document: Schema, schema: Schema) -> Schema:
    """The object that a value is, or that is in its list or its values."""
    found = resolved(document, schema)
    if found.get("type") == "array":
        return object_in(document, found["items"])
    if "properties" not in found and isinstance(found.get("additionalProperties"), dict):
        return object_in(document, found["additionalProperties"])
    return found


def differences(document: Schema, cls: type[Part], schema: Schema, place: str) -> Iterator[str]:
    """Yields where a class and the contract differ."""
    described = object_in(document, schema)
    own = {wire_name(each.name): each for each in dataclasses.fields(cls)}
    headers = {each.name for each in dataclasses.fields(Answer)} | {"more"}
    named = set(own) - headers
    for name in sorted(named ^ set(described["properties"])):
        yield f"{place}.{name} is only in {'the package' if name in named else 'the contract'}"
    hints = typing.get_type_hints(cls)
    for name in sorted(named & set(described["properties"])):
        each = own[name]
        has_default = each.default is not dataclasses.MISSING or each.default_factory is not dataclasses.MISSING
        may_miss = name not in described.get("required", [])
        if may_miss and not has_default:
            yield f"{place}.{name} may be missing, and the package requires it"
        hint, schema_of = hints[each.name], described["properties"][name]
        if (part := part_in(hint)) is not None:
            yield from differences(document, part, schema_of, f"{place}.{name}")
        elif not fits(document, hint, schema_of):
            yield f"{place}.{name} is {schema_of}, and not {hint}"


JSON_TYPES: Mapping[Any, set[str]] = {
    str: {"string"},
    int: {"integer"},
    float: {"number", "integer"},
    bool: {"boolean"},
    types.NoneType: {"null"},
    tuple: {"array"},
    Mapping: {"object"},
}


def json_types(hint: Any) -> set[str]:
    """The types of JSON whose values a type has."""
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        return set[str]().union(*map(json_types, typing.get_args(hint)))
    return JSON_TYPES[origin or hint]


def fits(document: Schema, hint: Any, schema: Schema) -> bool:
    """Says whether values of a schema are of a type."""
    if hint is Any:
        return True
    if "anyOf" in schema:
        return all(fits(document, hint, each) for each in schema["anyOf"])
    found = resolved(document, schema)
    kinds = found.get("type", "string")
    if kinds == "array":
        given = [hint] if typing.get_origin(hint) is tuple else typing.get_args(hint)
        lists = [each for each in given if typing.get_origin(each) is tuple]
        return len(lists) == 1 and fits(document, typing.get_args(lists[0])[0], found["items"])
    return set([kinds] if isinstance(kinds, str) else kinds) <= json_types(hint)


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_has_the_fields_of_the_contract(document: Schema, name: str) -> None:
    schema = document["components"]["schemas"][name]
    assert list(differences(document, ANSWERS[name], schema, name)) == []


@pytest.mark.parametrize("route", ROUTES)
def test_an_answer_to_an_administrator_has_the_fields_of_the_contract(document: Schema, route: tuple[str, str]) -> None:
    path, method = route
    schema = document["paths"][path][method]["responses"]["200"]["content"]["application/json"]["schema"]
    assert list(differences(document, ROUTES[route], schema, path)) == []


def names_of_request(document: Schema, path: str, method: str) -> set[str]:
    """The names of the fields of a request."""
    operation = document["paths"][path][method]
    if "requestBody" in operation:
        schema = resolved(document, operation["requestBody"]["content"]["application/json"]["schema"])
        return set(schema["properties"])
    return {each["name"] for each in operation["parameters"] if each.get("in") == "query"}


@pytest.mark.parametrize("route", REQUESTS)
def test_a_request_has_the_fields_of_the_contract(document: Schema, route: tuple[str, str]) -> None:
    cls, arguments = REQUESTS[route]
    assert set(cls.__annotations__) | arguments == names_of_request(document, *route)


def test_a_quote_has_the_fields_of_the_contract(document: Schema) -> None:
    quotes = document["components"]["schemas"]["VerifyRequest"]["properties"]["quotes"]["items"]
    assert set(typing.get_type_hints(fields.Quote)) == set(quotes["properties"])
    assert fields.Quote.__required_keys__ == set(quotes["required"])


def test_every_call_of_the_contract_has_a_method(document: Schema) -> None:
    names = {path.split("/")[2] for path in document["paths"] if path.startswith("/v1/")}
    calls = names - {"storefront", "x402"}
    assert {name for name in calls if not hasattr(Client, name)} == set()


def public_methods(cls: type) -> dict[str, inspect.Signature]:
    """The signatures of the methods of a client."""
    methods = inspect.getmembers(cls, inspect.isfunction)
    return {name: inspect.signature(method) for name, method in methods if not name.startswith("_")}


def test_both_clients_have_the_same_methods_and_arguments() -> None:
    waiting, awaited = public_methods(Client), public_methods(AsyncClient)
    assert waiting.keys() == awaited.keys()
    for name, signature in waiting.items():
        extra = {"concurrency"} if name == "run" else set()
        parameters = dict(awaited[name].parameters)
        assert set(parameters) - set(signature.parameters) == extra
        for parameter in signature.parameters.values():
            assert parameters[parameter.name].kind == parameter.kind
            assert parameters[parameter.name].default == parameter.default


def test_everything_public_is_documented() -> None:
    for name in asof_client.__all__:
        value = getattr(asof_client, name)
        if value.__module__.startswith("asof_client"):
            assert value.__doc__, name
    for cls in (Client, AsyncClient):
        assert [
            name
            for name, method in inspect.getmembers(cls, inspect.isfunction)
            if name[0] != "_" and not method.__doc__
        ] == []
