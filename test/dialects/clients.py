"""Makes calls with the stock clients of PyPI, one for each line of standard input, and prints an outcome for each."""
import asyncio
import json
import sys
import warnings

from exa_py import AsyncExa, Exa
from firecrawl import AsyncFirecrawl, Firecrawl
from parallel import AsyncParallel, Parallel
from perplexity import Perplexity
from tavily import AsyncTavilyClient, TavilyClient

makers = {
    'exa-py': lambda base, key: Exa(key, base_url=base),
    'exa-py async': lambda base, key: AsyncExa(key, api_base=base),
    'firecrawl-py': lambda base, key: Firecrawl(api_key=key, api_url=base),
    'firecrawl-py async': lambda base, key: AsyncFirecrawl(api_key=key, api_url=base),
    'parallel-web py': lambda base, key: Parallel(api_key=key, base_url=base),
    'parallel-web py async': lambda base, key: AsyncParallel(api_key=key, base_url=base),
    'perplexityai': lambda base, key: Perplexity(api_key=key, base_url=base),
    'tavily-python': lambda base, key: TavilyClient(key, api_base_url=base),
    'tavily-python async': lambda base, key: AsyncTavilyClient(key, api_base_url=base),
}


def plain(value):
    """Returns a value of a client as JSON has it."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if hasattr(value, '__dict__'):
        return plain(vars(value))
    return value


for line in sys.stdin:
    call = json.loads(line)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        try:
            client = makers[call['client']](call['base'], call['key'])
            method = getattr(client, call['method'])
            # Some clients group their methods.
            method = method if callable(method) else method.create
            result = method(*call['args'], **call['options'])
            if asyncio.iscoroutine(result):
                result = asyncio.run(result)
            outcome = {'value': plain(result)}
        except Exception as error:
            outcome = {'error': {'name': type(error).__name__, 'message': str(error)}}
    outcome['warnings'] = [str(warning.message) for warning in caught]
    print(json.dumps(outcome, default=str), flush=True)
