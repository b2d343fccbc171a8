import { z } from 'zod'
import type { InputOf } from '../../../../service/index.ts'
import type { SentRequest } from '../frame/dialect.ts'
import { oneInstant } from '../frame/instants.ts'
import { readVendorFields, refuseStrayInstants, type VendorFieldRules } from '../frame/vendor-fields.ts'
import type { DialectWarning } from '../frame/warning.ts'

/** SearXNG has no field for the number of results. */
const RESULTS = 20

const deltas = { day: '1d', week: '7d', month: '1mo', year: '1y' } as const

const fields = {
  q: z.string(),
  format: z.literal('json', { error: 'must be json' }),
  pageno: z
    .string()
    .regex(/^[1-9]\d{0,4}$/, { error: 'must be a whole number, 1 or more' })
    .default('1'),
  time_range: z.enum(['day', 'week', 'month', 'year', '']).optional(),
  language: z.string().optional(),
  query_time: z.string().optional(),
}
const schema = z.looseObject(fields)
const rules: VendorFieldRules = {
  silent: [
    'safesearch',
    'engines',
    'enabled_engines',
    'disabled_engines',
    'categories',
    'theme',
    'image_proxy',
    'autocomplete',
    'results_on_new_tab',
    'enabled_plugins',
    'disabled_plugins',
  ],
}

/** Values of `language` that name no language. */
const ANY_LANGUAGE = new Set(['', 'all', 'auto'])

/** The names of SearXNG for the fields of a search of asof. */
export const searchNames: Readonly<Record<string, string>> = {
  query: 'q',
  offset: 'pageno',
  published_after: 'time_range',
}

export interface SearxngSearch {
  request: InputOf<'search'> & { max_results: number; offset: number }
  warnings: DialectWarning[]
}

/** Reads a search. */
export function readSearch(sent: SentRequest): SearxngSearch {
  const warnings: DialectWarning[] = []
  refuseStrayInstants(sent.fields, ['query_time'])
  const given = readVendorFields(schema, sent.fields, { path: '', rules, warnings })
  const { q, pageno, time_range, language = '', query_time } = given
  return {
    request: {
      query: q,
      max_results: RESULTS,
      offset: RESULTS * (Number(pageno) - 1),
      published_after: time_range ? deltas[time_range] : undefined,
      language: ANY_LANGUAGE.has(language) ? undefined : language,
      query_time: oneInstant(sent, { query_time }),
    },
    warnings,
  }
}
