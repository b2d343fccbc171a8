"""Calls a server with a client that openapi-python-client generated, and prints what it read as JSON."""
import json
import sys

from asof_client import Client
from asof_client.api.default import (
    captures,
    catalog_manifest,
    catalog_services,
    feedback,
    fetch,
    fetch_public,
    fields,
    history_public,
    page,
    search_get,
    search_post,
    search_public_get,
    search_public_post,
    suggest,
    verify_public,
)
from asof_client.models import (
    FeedbackRequest,
    FeedbackRequestFeedback,
    FetchPublicIncludeItem,
    SearchRequest,
    SearchRequestFilter,
    VerifyRequest,
)

base, key = sys.argv[1:]
open_client = Client(base_url=base, raise_on_unexpected_status=True, headers={"X-Service-Title": "generated"})
keyed = Client(base_url=base, raise_on_unexpected_status=True, headers={"X-API-Key": key})
sites = ["a.example", "b.example"]
filter_ = SearchRequestFilter()
filter_["price"] = {"lt": 20}
url = "https://a.example/"
told = {}


def urls(answer):
    return sorted(result.url for result in answer.results)


told["get"] = urls(search_public_get.sync(client=open_client, query="ships", sites=sites))
told["post"] = urls(search_public_post.sync(client=open_client, body=SearchRequest(query="ships", sites=sites)))
told["filter"] = urls(search_public_post.sync(client=open_client, body=SearchRequest(query="ships", filter_=filter_)))
first = search_public_get.sync(client=open_client, query="*", max_results=1, facets=["price"])
second = search_public_get.sync(
    client=open_client, query="*", max_results=1, facets=["price"], cursor=first.next_, offset=0
)
told["pages"] = len({first.results[0].url, second.results[0].url})
told["keyed"] = urls(search_get.sync(client=keyed, query="ships", exclude_sites=["c.example"]))
told["keyed_post"] = urls(search_post.sync(client=keyed, body=SearchRequest(query="ships", exclude_sites=["c.example"])))
told["fetch"] = fetch_public.sync(client=open_client, url_query=url, include=[FetchPublicIncludeItem.CITATION]).content
told["keyed_fetch"] = fetch.sync(client=keyed, url_query=url).content
told["history"] = len(history_public.sync(client=open_client, url_query=url).versions)
told["page"] = page.sync(client=open_client, url_query=url).url
told["captures"] = captures.sync(client=open_client).captures
told["fields"] = [field.name for field in fields.sync(client=open_client).fields]
told["suggest"] = suggest.sync(client=open_client, q="Sh").suggestions[0].text
body = VerifyRequest.from_dict({"quotes": [{"url": url, "quote": "ships at sea"}]})
told["verify"] = verify_public.sync(client=open_client, body=body).verdicts[0].verdict
judged = FeedbackRequestFeedback()
judged[url] = 4
told["feedback"] = feedback.sync(client=keyed, body=FeedbackRequest(query="ships", feedback=judged)).message[:9]
told["bad"] = search_public_get.sync(client=open_client, query="a", sites=["no site"]).details[0]["path"]
told["services"] = len(catalog_services.sync(client=open_client).services)
told["manifest"] = catalog_manifest.sync(client=open_client) is not None
print(json.dumps(told))
