import type { Passage } from '@asof/core'
import {
  type PassagesRequest,
  type PassagesResponse,
  passagesRequest,
  passagesResponse,
} from '../contract/passages-schemas.ts'
import { checkSearchFields } from '../contract/request-check.ts'
import { engineQuery, passagesOptions, responseMode, searchOf, timestamp } from '../contract/wire-form.ts'
import type { IndexReads } from '../fair-shares/fair-index.ts'
import type { AnsweredHere, CallContext, CallOf, Sources } from './call.ts'
import { CITED_UNITS, citationOf } from './citation.ts'
import { byQueryTime } from './query-time.ts'
import { callerRules, expectKey, modeRefusal, namingEveryField, needsKey, receiptHeader } from './search.ts'

type WirePassage = PassagesResponse['passages'][number]

function wirePassage({ acquiredAt, publishedAt, ...passage }: Passage): WirePassage {
  return { ...passage, acquired_at: timestamp(acquiredAt), published_at: timestamp(publishedAt) }
}

/** Adds to each passage a link to its version that leads to it. A passage whose page was purged meanwhile has none. */
async function withCitations(
  passages: readonly Passage[],
  { engine, base }: { engine: IndexReads; base: string | undefined },
): Promise<WirePassage[]> {
  const urls = [...new Map(passages.map(({ url, acquiredAt }) => [url, acquiredAt]))]
  const read = urls.map(([url, queryTime]) => engine.page(url, { queryTime, markdownMaxLength: CITED_UNITS }))
  const pages = new Map((await Promise.all(read)).flatMap(page => (page ? [[page.url, page]] : [])))
  return passages.map(passage => {
    const { url, title, publishedAt, acquiredAt, text } = passage
    const page = pages.get(url)
    if (page?.acquiredAt !== acquiredAt) return wirePassage(passage)
    const snippet = { text, highlights: [] }
    return { ...wirePassage(passage), citation: citationOf({ ...page, title, publishedAt }, { base, snippet }) }
  })
}

async function answerPassages(
  sources: Sources,
  request: PassagesRequest,
  context: CallContext,
): Promise<AnsweredHere<PassagesResponse>> {
  expectKey(request, context)
  const { engine } = sources
  const options = { ...passagesOptions(request), ...callerRules(context) }
  const ask = () => engine.passages(engineQuery(request), options)
  const { mode, passages, chars, tokens, warning, receipt } = await namingEveryField(
    sources,
    searchOf(request),
    context,
    ask,
  )
  const body: PassagesResponse = {
    query: request.query,
    mode: responseMode(mode),
    passages: request.include?.includes('citation')
      ? await withCitations(passages, { engine, base: context.base })
      : passages.map(wirePassage),
    chars,
    tokens,
    warning,
  }
  return { body, instant: receipt.instant, receipt }
}

/** The passages that answer a query best, as many as a number of characters or tokens allows, see `Engine.passages`. Costs as much as a search. */
export const passagesCall = {
  request: passagesRequest,
  response: passagesResponse,
  methods: ['POST', 'GET'],
  callers: 'all',
  needsKey,
  described: {
    summary: 'Find the passages that answer a query, up to a number of characters or tokens',
    answer: 'Passages of the best pages.',
    header: receiptHeader,
  },
  past: byQueryTime<PassagesRequest>(),
  failures: [],
  charged: {
    kind: 'search',
    sku: (_request, { body }) => (body.mode === 'realtime' ? 'search.realtime' : 'search.pro'),
    title: 'Passages that answer a query',
    noun: 'search',
    indexOf: ({ receipt }) => receipt ?? {},
    needsNoPages: false,
    refusedUnderZeroRetention: modeRefusal,
    failedUpstream: 'unprocessable',
  },
  standIn: { query: 'a' },
  check: async ({ engine }, request, context) => {
    await checkSearchFields(engine, searchOf(request), callerRules(context))
  },
  run: answerPassages,
} satisfies CallOf<typeof passagesRequest, typeof passagesResponse>
