"""Searches with adapters of PyPI, one line of standard input each, and prints what the adapter returned."""
import json
import os
import sys
import warnings

os.environ['LITELLM_LOCAL_MODEL_COST_MAP'] = 'True'
warnings.simplefilter('ignore')

import litellm  # noqa: E402
from langchain_community.utilities import BraveSearchWrapper, SearxSearchWrapper  # noqa: E402
from langchain_exa import ExaSearchResults, ExaSearchRetriever  # noqa: E402
from langchain_tavily import TavilyExtract, TavilyMap, TavilySearch  # noqa: E402


def lite(provider):
    return lambda base, key, query: litellm.search(
        query, search_provider=provider, api_key=key, api_base=base, max_results=5
    ).model_dump()


adapters = {
    'langchain-exa tool': lambda base, key, query: ExaSearchResults(exa_api_key=key, exa_base_url=base).invoke(
        {'query': query, 'num_results': 5}
    ),
    'langchain-exa retriever': lambda base, key, query: [
        document.model_dump()
        for document in ExaSearchRetriever(exa_api_key=key, exa_base_url=base, k=5).invoke(query)
    ],
    'langchain-tavily search': lambda base, key, query: TavilySearch(
        tavily_api_key=key, api_base_url=base, max_results=5
    ).invoke({'query': query}),
    'langchain-tavily extract': lambda base, key, query: TavilyExtract(tavily_api_key=key, api_base_url=base).invoke(
        {'urls': [query]}
    ),
    'langchain-tavily map': lambda base, key, query: TavilyMap(tavily_api_key=key, api_base_url=base).invoke(
        {'url': query, 'max_depth': 4}
    ),
    'SearxSearchWrapper': lambda base, key, query: SearxSearchWrapper(
        searx_host=base, headers={'Authorization': f'Bearer {key}'}
    ).results(query, num_results=5),
    'BraveSearchWrapper': lambda base, key, query: BraveSearchWrapper(
        api_key=key, base_url=f'{base}/res/v1/web/search', search_kwargs={'count': 5}
    ).run(query),
    'litellm exa_ai': lite('exa_ai'),
    'litellm tavily': lite('tavily'),
    'litellm firecrawl': lambda base, key, query: lite('firecrawl')(f'{base}/v2', key, query),
    'litellm searxng': lite('searxng'),
    'litellm perplexity': lite('perplexity'),
    'litellm parallel_ai': lite('parallel_ai'),
    'litellm brave': lambda base, key, query: lite('brave')(f'{base}/res/v1/web/search', key, query),
}

print('ready', flush=True)
for line in sys.stdin:
    call = json.loads(line)
    try:
        outcome = {'value': adapters[call['adapter']](call['base'], call['key'], call['query'])}
    except Exception as error:
        outcome = {'error': f'{type(error).__name__}: {error}'}
    print('outcome ' + json.dumps(outcome, default=str), flush=True)
