/** What the tests use of the packages. It is copied to the folder where they are installed, because they are found from there. */
export { ExaSearchResults } from '@langchain/exa'
export { TavilyExtract, TavilyMap, TavilySearch } from '@langchain/tavily'
export { tavilyExtract, tavilyMap, tavilySearch } from '@tavily/ai-sdk'
export { default as Exa } from 'exa-js'
export { FirecrawlTools } from 'firecrawl-aisdk'
