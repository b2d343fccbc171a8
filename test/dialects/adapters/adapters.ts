import { spawn } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { adapters } from '../install.ts'

/** A search with an adapter, whose user gives it an address and a key. */
export interface AdapterCall {
  adapter: string
  base: string
  key: string
  /** A query; or the URL of a page or site, for an adapter that reads those. */
  query: string
}

/** Searches with adapters. */
export interface Adapters {
  /** Returns what an adapter returned, as JSON. @throws Error - the adapter threw an error. */
  call(call: AdapterCall): Promise<string>
  close(): void
}

/** A tool of an agent: LangChain and the AI SDK call them in two ways. */
interface Tool {
  invoke?(input: unknown): Promise<unknown>
  execute?(input: unknown, options: unknown): Promise<unknown>
}
type LangChainTool = new (options: object) => Tool

interface Packages {
  Exa: new (key: string, base: string) => unknown
  ExaSearchResults: LangChainTool
  TavilySearch: LangChainTool
  TavilyExtract: LangChainTool
  TavilyMap: LangChainTool
  tavilySearch: (options: object) => Tool
  tavilyExtract: (options: object) => Tool
  tavilyMap: (options: object) => Tool
  FirecrawlTools: (options: object) => { search: Tool; scrape: Tool }
}

function run(tool: Tool, input: unknown): Promise<unknown> {
  if (tool.invoke) return tool.invoke(input)
  if (tool.execute) return tool.execute(input, { toolCallId: '1', messages: [] })
  throw new TypeError('the adapter is no tool')
}

async function toolsOfJavaScript() {
  const entry = path.join(adapters.packages, 'packages.mjs')
  copyFileSync(path.join(import.meta.dirname, 'packages.mjs'), entry)
  const packages = (await import(pathToFileURL(entry).href)) as Packages
  const made: Readonly<Record<string, (call: AdapterCall) => Promise<unknown>>> = {
    '@langchain/exa': ({ base, key, query }) => {
      const tool = new packages.ExaSearchResults({ client: new packages.Exa(key, base), searchArgs: { numResults: 5 } })
      return run(tool, query)
    },
    '@langchain/tavily search': ({ base, key, query }) => {
      const tool = new packages.TavilySearch({ tavilyApiKey: key, apiBaseUrl: base, maxResults: 5 })
      return run(tool, { query })
    },
    '@langchain/tavily extract': ({ base, key, query }) => {
      const tool = new packages.TavilyExtract({ tavilyApiKey: key, apiBaseUrl: base })
      return run(tool, { urls: [query] })
    },
    '@langchain/tavily map': ({ base, key, query }) => {
      const tool = new packages.TavilyMap({ tavilyApiKey: key, apiBaseUrl: base })
      return run(tool, { url: query, maxDepth: 4 })
    },
    '@tavily/ai-sdk search': ({ base, key, query }) => {
      const tool = packages.tavilySearch({ apiKey: key, apiBaseURL: base, maxResults: 5 })
      return run(tool, { query })
    },
    '@tavily/ai-sdk extract': ({ base, key, query }) => {
      const tool = packages.tavilyExtract({ apiKey: key, apiBaseURL: base })
      return run(tool, { urls: [query] })
    },
    '@tavily/ai-sdk map': ({ base, key, query }) => {
      const tool = packages.tavilyMap({ apiKey: key, apiBaseURL: base })
      return run(tool, { url: query })
    },
    'firecrawl-aisdk search': ({ base, key, query }) => {
      const { search } = packages.FirecrawlTools({ apiKey: key, apiUrl: base })
      return run(search, { query, limit: 5 })
    },
    'firecrawl-aisdk scrape': ({ base, key, query }) => {
      const { scrape } = packages.FirecrawlTools({ apiKey: key, apiUrl: base })
      return run(scrape, { url: query, formats: ['markdown'] })
    },
  }
  return made
}

/** Starts the adapters of both languages. */
export async function startAdapters(): Promise<Adapters> {
  const tools = await toolsOfJavaScript()
  const script = path.join(import.meta.dirname, 'adapters.py')
  const child = spawn(adapters.python, [script], { stdio: ['pipe', 'pipe', 'ignore'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()

  /** Returns the next outcome. Adapters print to standard output too. */
  async function nextOutcome(): Promise<{ value?: unknown; error?: string }> {
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error('the adapters of Python have ended')
      if (value.startsWith('outcome ')) return JSON.parse(value.slice('outcome '.length))
    }
  }

  return {
    async call(call) {
      const tool = tools[call.adapter]
      if (tool) return JSON.stringify(await tool(call))
      child.stdin.write(`${JSON.stringify(call)}\n`)
      const { value, error } = await nextOutcome()
      if (error !== undefined) throw new Error(error)
      return JSON.stringify(value)
    },
    close: () => {
      child.stdin.end()
    },
  }
}
