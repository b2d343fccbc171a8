import { firstCodePoints, timestamp } from '../../../../service/index.ts'
import type { AnswerRequest, Asking, Dialect, SentRequest } from '../frame/dialect.ts'
import { lastSeenAt } from '../frame/last-seen.ts'
import { readEach } from '../frame/read-each.ts'
import { type FoundResult, searchPages } from '../frame/search-pages.ts'
import { writeError } from './errors.ts'
import {
  extractNames,
  type ParallelExtract,
  type ParallelSearch,
  readExtract,
  readSearch,
  searchNames,
} from './read.ts'
import { type ExtractedPage, writePages, writeResults } from './write.ts'

/** Searches for each query as of one instant. If a further search fails, a warning says so, because the first one is paid for. */
async function searchAll({ queries, request, warnings }: ParallelSearch, asking: Asking): Promise<FoundResult[][]> {
  const lists: FoundResult[][] = []
  let { query_time } = request
  for (const query of queries) {
    try {
      const { results, instant } = await searchPages(asking, { ...request, query, query_time }, warnings)
      if (!asking.seesPast) query_time ??= timestamp(instant)
      lists.push(results)
    } catch (failure) {
      if (lists.length === 0 || !(failure instanceof Error)) throw failure
      warnings.push({ path: 'search_queries', message: `only the first ${lists.length}: ${failure.message}` })
      break
    }
  }
  return lists
}

/** Returns the first results of all lists, then the second ones, and so on, each page once. */
function interleaved(lists: readonly (readonly FoundResult[])[], most: number): FoundResult[] {
  const found = new Map<string, FoundResult>()
  const longest = Math.max(...lists.map(list => list.length))
  for (let place = 0; place < longest; place += 1)
    for (const list of lists) {
      const result = list[place]
      if (result && !found.has(result.url)) found.set(result.url, result)
    }
  return [...found.values()].slice(0, most)
}

function search(sent: SentRequest): AnswerRequest {
  const asked = readSearch(sent)
  return async asking => {
    const lists = await searchAll(asked, asking)
    return writeResults(interleaved(lists, asked.request.max_results), sent.id, asked, asking)
  }
}

/** Reads a page: its excerpts and, if the request asks for it, its full content, which is a further fetch if excerpts answer something. */
async function readPage(url: string, asked: ParallelExtract, asking: Asking): Promise<ExtractedPage> {
  const { query_time, seenSince, prompt, fullChars, fallsBack, lengths } = asked
  const isLive = seenSince !== undefined && (await lastSeenAt(url, asking)) < seenSince
  const read = async (max_chars: number, more: { prompt?: string | undefined }) => {
    const request = { url, max_chars, ...more }
    const stored = () => asking.call('fetch', { ...request, query_time })
    if (!isLive) return (await stored()).body
    const live = asking.call('fetch', { ...request, live: true })
    return (await live.catch(failure => (fallsBack && !asking.seesPast ? stored() : Promise.reject(failure)))).body
  }
  const first = await read(prompt === undefined ? Math.max(fullChars ?? 0, lengths.perResult) : lengths.perResult, {
    prompt,
  })
  const { title, published_at, content } = first
  const page = { url: first.url, title, published_at, excerpts: [content] }
  if (fullChars === undefined) return page
  const full = prompt === undefined ? firstCodePoints(content, fullChars) : (await read(fullChars, {})).content
  return { ...page, full }
}

function extract(sent: SentRequest): AnswerRequest {
  const asked = readExtract(sent)
  return async asking => {
    const pages = await readEach(asked.urls, 'urls', url => readPage(url, asked, asking))
    return writePages(pages, sent.id, asked, asking)
  }
}

const NO_MODEL = 'needs a language model, and asof has none'

/** The search API of Parallel, by `parallel-web` for JavaScript and for Python. */
export const parallel: Dialect = {
  vendor: 'Parallel',
  clients: 'parallel-web for JavaScript and for Python',
  routes: [
    { methods: ['POST'], path: '/v1/search', names: searchNames, read: search },
    { methods: ['POST'], path: '/v1/extract', names: extractNames, read: extract },
  ],
  missing: {
    '/v1beta': 'is /v1 here',
    '/v1/tasks': NO_MODEL,
    '/v1/monitors': 'watches pages for its caller, and asof does not have that',
  },
  writeError,
}
