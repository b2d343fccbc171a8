import { z } from 'zod'
import { type InputOf, refusedFields } from '../../../../service/index.ts'
import type { SentRequest } from '../frame/dialect.ts'
import { oneInstant } from '../frame/instants.ts'
import { readVendorFields, refuseStrayInstants, type VendorFieldRules } from '../frame/vendor-fields.ts'
import type { DialectWarning } from '../frame/warning.ts'

const MAX_RESULTS = 20
const MAX_PAGE = 9
/** Passages of each result besides its description, and their length. */
const EXTRA_SNIPPETS = 5
const SNIPPET_CHARS = 500
const DESCRIPTION_CHARS = 300

/** Returns the schema of a whole number in a query string. */
function count(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`
  return z
    .string()
    .regex(/^\d{1,4}$/, { error })
    .transform(Number)
    .pipe(z.int({ error }).min(min, { error }).max(max, { error }))
}

/** Clients write true as their language does. */
const flag = z
  .string()
  .regex(/^(?:true|false|1|0)$/i, { error: 'must be true or false' })
  .transform(text => /^(?:true|1)$/i.test(text))

const deltas: Readonly<Record<string, string>> = { pd: '1d', pw: '7d', pm: '1mo', py: '1y' }

const fields = {
  q: z.string(),
  count: count(1, MAX_RESULTS).optional(),
  offset: count(0, MAX_PAGE).optional(),
  freshness: z.string().optional(),
  search_lang: z.string().optional(),
  spellcheck: flag.optional(),
  extra_snippets: flag.optional(),
  text_decorations: flag.optional(),
  summary: flag.optional(),
  result_filter: z.string().optional(),
  query_time: z.string().optional(),
}
const SAME_FOR_ALL = 'left out: results are the same for everybody'
const rules: VendorFieldRules = {
  leftOut: { country: SAME_FOR_ALL, ui_lang: SAME_FOR_ALL },
  silent: ['safesearch', 'units', 'enable_rich_callback', 'include_fetch_metadata', 'operators'],
  refused: {
    goggles: 'asof has no rules of its callers for the ranking',
    goggles_id: 'asof has no rules of its callers for the ranking',
  },
}

/** The names of Brave for the fields of a search of asof. */
export const searchNames: Readonly<Record<string, string>> = {
  query: 'q',
  max_results: 'count',
  offset: 'offset',
  published_after: 'freshness',
  published_before: 'freshness',
  language: 'search_lang',
}

export interface BraveSearch {
  request: InputOf<'search'> & { max_results: number; offset: number }
  /** Maximum number of passages of each result besides its description. */
  extraSnippets: number
  warnings: DialectWarning[]
}

/** @throws ServiceError invalid_request - the text is neither a word of Brave nor a range of dates. */
function publishedIn(freshness: string | undefined): Pick<InputOf<'search'>, 'published_after' | 'published_before'> {
  if (!freshness) return {}
  const delta = Object.hasOwn(deltas, freshness) ? deltas[freshness] : undefined
  if (delta !== undefined) return { published_after: delta }
  const [, published_after, published_before] = /^(\d{4}-\d\d-\d\d)to(\d{4}-\d\d-\d\d)$/.exec(freshness) ?? []
  if (published_after) return { published_after, published_before }
  throw refusedFields('invalid_request', [
    { path: 'freshness', reason: 'must be pd, pw, pm, py or a range such as 2025-01-01to2025-02-28' },
  ])
}

/** Reads a search. */
export function readSearch(sent: SentRequest): BraveSearch {
  const warnings: DialectWarning[] = []
  refuseStrayInstants(sent.fields, ['query_time'])
  const given = readVendorFields(z.looseObject(fields), sent.fields, { path: '', rules, warnings })
  const { count: max_results = MAX_RESULTS, offset: page = 0, result_filter, extra_snippets: hasExtra = false } = given
  if (result_filter && !result_filter.split(',').some(one => one.trim() === 'web'))
    throw refusedFields('invalid_request', [
      { path: 'result_filter', reason: 'must have web: asof has no other results' },
    ])
  if (given.summary)
    warnings.push({ path: 'summary', message: 'left out: it needs a language model, and asof has none' })
  if (given.text_decorations)
    warnings.push({ path: 'text_decorations', message: 'left out: descriptions are plain text' })
  return {
    request: {
      query: given.q,
      max_results,
      offset: max_results * page,
      ...publishedIn(given.freshness),
      language: given.search_lang,
      strict: given.spellcheck === false,
      query_time: oneInstant(sent, { query_time: given.query_time }),
      snippet_max_length: DESCRIPTION_CHARS,
      include: hasExtra ? ['passages'] : undefined,
      passages_max_chars: hasExtra ? EXTRA_SNIPPETS * SNIPPET_CHARS : undefined,
      passage_max_chars: hasExtra ? SNIPPET_CHARS : undefined,
    },
    extraSnippets: hasExtra ? EXTRA_SNIPPETS : 0,
    warnings,
  }
}
