import { z } from 'zod'
import { type CrawledPage, type CrawlJobInput, refusedFields } from '../../../../service/index.ts'
import type { AnswerRequest, AskingCrawls, DialectRoute, RoutedRequest } from '../frame/dialect.ts'
import { oneInstant } from '../frame/instants.ts'
import { pathPatterns } from '../frame/path-patterns.ts'
import { readVendorFields, refuseStrayInstants, type VendorFieldRules } from '../frame/vendor-fields.ts'
import type { DialectWarning } from '../frame/warning.ts'
import { NO_IMAGES, NO_MODEL, silent } from './read.ts'
import { writeRest } from './write.ts'

const MAX_PAGES = 150
const DEFAULT_PAGES = 50
const MAX_DEPTH = 5
/** Time after which the pages that were read are answered. A server ends an answer after 60 s. */
const CRAWL_MS = 50_000

const ONE_HOST = 'a crawl stays on the host of its url'

const crawlFields = {
  url: z.string(),
  limit: z.int().min(1).max(MAX_PAGES).default(DEFAULT_PAGES),
  max_depth: z.int().min(1).max(MAX_DEPTH).optional(),
  select_paths: z.array(z.string()).optional(),
  exclude_paths: z.array(z.string()).optional(),
  format: z.enum(['markdown', 'text']).optional(),
  include_usage: z.boolean().default(false),
  query_time: z.string().optional(),
}
const crawlRules: VendorFieldRules = {
  leftOut: {
    allow_external: `left out: ${ONE_HOST}`,
    chunks_per_source: 'left out: the content is the whole page',
    include_images: NO_IMAGES,
    include_favicon: NO_IMAGES,
    instructions: NO_MODEL,
  },
  silent: [...silent, 'extract_depth'],
  refused: {
    select_domains: ONE_HOST,
    exclude_domains: ONE_HOST,
    max_breadth: 'asof cannot limit the links of a page: use limit',
  },
}

/** Returns the URL where a crawl starts, which may be given without a scheme. */
function startOf(text: string): string {
  const url = /^https?:/i.test(text) ? text : `https://${text}`
  if (URL.canParse(url)) return url
  throw refusedFields('invalid_request', [{ path: 'url', reason: 'must be a URL' }])
}

/** Reads the pages of a site as far as there is time, and cancels the rest. */
async function crawlNow(
  request: CrawlJobInput,
  asking: AskingCrawls,
  warnings: DialectWarning[],
): Promise<readonly CrawledPage[]> {
  const crawls = asking.crawls()
  const { id } = await crawls.start(request)
  const late = AbortSignal.timeout(CRAWL_MS)
  await crawls.ended(id, AbortSignal.any([late, asking.signal]))
  const { state, failure } = await crawls.cancel(id)
  if (state === 'cancelled') warnings.push({ path: '', message: 'the crawl was ended after 50 s' })
  if (failure !== undefined) warnings.push({ path: '', message: failure })
  const pages: CrawledPage[] = []
  let next: string | undefined
  do {
    const read = await crawls.read(id, next)
    pages.push(...read.pages)
    next = read.next
  } while (next !== undefined)
  return pages
}

function crawl(sent: RoutedRequest): AnswerRequest {
  const warnings: DialectWarning[] = []
  refuseStrayInstants(sent.fields, ['query_time'])
  const fields = readVendorFields(z.looseObject(crawlFields), sent.fields, { path: '', rules: crawlRules, warnings })
  if (fields.format === 'text') warnings.push({ path: 'format', message: 'the content is Markdown' })
  const { limit, max_depth } = fields
  const url = startOf(fields.url)
  const query_time = oneInstant(sent, { query_time: fields.query_time })
  const include = pathPatterns('select_paths', fields.select_paths)
  const exclude = pathPatterns('exclude_paths', fields.exclude_paths)
  return async asking => {
    // The index knows no links, so its pages below the URL are as deep as their paths.
    const isPast = asking.seesPast || query_time !== undefined
    const reach = isPast ? { max_depth } : { max_depth: max_depth ?? 1, entire_host: true }
    const pages = await crawlNow({ url, limit, include, exclude, query_time, ...reach }, asking, warnings)
    return {
      base_url: url,
      results: pages.map(page => ({ url: page.url, raw_content: page.content, images: [] })),
      ...writeRest(sent.id, { warnings, wantsUsage: fields.include_usage }, asking, pages.length),
    }
  }
}

/** The crawl of Tavily, which is answered when it has ended. */
export const tavilyCrawl: readonly DialectRoute[] = [
  {
    methods: ['POST'],
    path: '/crawl',
    names: { include: 'select_paths', exclude: 'exclude_paths' },
    read: crawl,
  },
]
