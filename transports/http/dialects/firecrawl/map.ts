import { z } from 'zod'
import { refusedFields } from '../../../../service/index.ts'
import type { AnswerRequest, Asking, SentRequest } from '../frame/dialect.ts'
import { oneInstant } from '../frame/instants.ts'
import { type MappedPage, mapPages, type WantedMap, withScheme } from '../frame/map-pages.ts'
import { readVendorFields, refuseStrayInstants, type VendorFieldRules } from '../frame/vendor-fields.ts'
import type { DialectWarning } from '../frame/warning.ts'
import { SAME_FOR_ALL, silent } from './read.ts'
import { writeWarning } from './write.ts'

const MAX_PAGES = 100_000
const DEFAULT_PAGES = 5_000

const fields = {
  url: z.string(),
  search: z.string().optional(),
  includeSubdomains: z.boolean().default(true),
  limit: z.int().min(1).max(MAX_PAGES).default(DEFAULT_PAGES),
  query_time: z.string().optional(),
}
const schema = z.looseObject({
  ...fields,
  sitemap: z.enum(['only', 'include', 'skip']).optional(),
  ignoreQueryParameters: z.boolean().default(true),
})
const oldSchema = z.looseObject({ ...fields, sitemapOnly: z.boolean().default(false) })
const rules: VendorFieldRules = {
  leftOut: { location: SAME_FOR_ALL },
  silent: [...silent, 'auditMetadata', 'ignoreSitemap', 'threatProtection', 'useIndex'],
}
const NO_SITEMAPS = 'the list is that of the index, and asof does not know which pages are in a sitemap'

/** The names of Firecrawl for the fields of a list of asof. */
export const firecrawlMapNames: Readonly<Record<string, string>> = { include_subdomains: 'includeSubdomains' }

interface AskedMap {
  wanted: WantedMap
  warnings: DialectWarning[]
}

function wantedOf(given: z.output<z.ZodObject<typeof fields>>, sent: SentRequest, keep?: WantedMap['keep']): WantedMap {
  const { url, search, includeSubdomains, limit, query_time } = given
  return {
    request: {
      url: withScheme(url),
      search: search?.trim() || undefined,
      include_subdomains: includeSubdomains,
      query_time: oneInstant(sent, { query_time }),
    },
    limit,
    keep,
  }
}

/** Leaves out the pages whose addresses have a query string. */
const withoutParameters = (pages: readonly MappedPage[]) => pages.filter(({ url }) => new URL(url).search === '')

/** Reads a request of `/v2/map`. */
function readMap(sent: SentRequest): AskedMap {
  const warnings: DialectWarning[] = []
  refuseStrayInstants(sent.fields, ['query_time'])
  const given = readVendorFields(schema, sent.fields, { path: '', rules, warnings })
  if (given.sitemap === 'only') throw refusedFields('invalid_request', [{ path: 'sitemap', reason: NO_SITEMAPS }])
  const keep = given.ignoreQueryParameters ? withoutParameters : undefined
  return { wanted: wantedOf(given, sent, keep), warnings }
}

/** Reads a request of `/v1/map`. */
function readOldMap(sent: SentRequest): AskedMap {
  const warnings: DialectWarning[] = []
  refuseStrayInstants(sent.fields, ['query_time'])
  const given = readVendorFields(oldSchema, sent.fields, { path: '', rules, warnings })
  if (given.sitemapOnly) throw refusedFields('invalid_request', [{ path: 'sitemapOnly', reason: NO_SITEMAPS }])
  return { wanted: wantedOf(given, sent), warnings }
}

async function answerMap({ wanted, warnings }: AskedMap, asking: Asking, link: (page: MappedPage) => unknown) {
  const pages = await mapPages(asking, wanted, warnings)
  return { success: true, links: pages.map(link), warning: writeWarning(warnings) }
}

/** Answers `/v2/map`. */
export function firecrawlMap(sent: SentRequest): AnswerRequest {
  const asked = readMap(sent)
  return asking => answerMap(asked, asking, ({ url, title }) => ({ url, title }))
}

/** Answers `/v1/map`, whose links are addresses only. */
export function oldFirecrawlMap(sent: SentRequest): AnswerRequest {
  const asked = readOldMap(sent)
  return asking => answerMap(asked, asking, ({ url }) => url)
}
