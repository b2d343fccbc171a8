import { z } from 'zod'
import { type CrawlJobErrorsResponse, type CrawlJobPagesResponse, refusedFields } from '../../../../service/index.ts'
import type { AnswerRequest, DialectCrawls, DialectRoute, RoutedRequest } from '../frame/dialect.ts'
import { oneInstant } from '../frame/instants.ts'
import { pathPatterns } from '../frame/path-patterns.ts'
import { readVendorFields, refuseStrayInstants, type VendorFieldRules } from '../frame/vendor-fields.ts'
import type { DialectWarning } from '../frame/warning.ts'
import { CHANGES_PAGE, type Format, optionFields, optionRules, readFormats } from './read.ts'
import { writeDocument, writeWarning } from './write.ts'

/** What the answers to later requests need to know of a crawl. */
const crawlNote = z.object({
  formats: z.array(z.enum(['markdown', 'links'])),
  warning: z.string().optional(),
})

function noteOf(formats: readonly Format[], warnings: readonly DialectWarning[]): string {
  return JSON.stringify({ formats, warning: writeWarning(warnings) })
}

const NO_VALUES = 'a crawl has no values of pages: scrape its pages with this format'

/** Reads the formats of a job. */
function readJobFormats(
  path: string,
  given: readonly (string | { type: string })[],
  warnings: DialectWarning[],
): readonly Format[] {
  const others = given.filter(one => (typeof one === 'string' ? one : one.type) !== 'json')
  if (others.length < given.length) {
    if (others.length === 0) throw refusedFields('invalid_request', [{ path, reason: NO_VALUES }])
    warnings.push({ path: `${path} json`, message: `left out: ${NO_VALUES}` })
  }
  return readFormats(path, others, warnings)
}

const jobSilent = ['delay', 'integration', 'maxConcurrency', 'origin']
const jobRefused = {
  webhook: 'asof sends no webhooks: ask for the state of the crawl',
  zeroDataRetention: 'is a setting of the organization on this server',
}
const crawlRules: VendorFieldRules = {
  leftOut: {
    allowExternalLinks: 'left out: a crawl stays on its host',
    allowSubdomains: 'left out: a crawl stays on its host',
    deduplicateSimilarURLs: 'left out: each URL is a page',
    ignoreRobotsTxt: 'left out: robots.txt is always obeyed',
    robotsUserAgent: 'left out: asof has its own name',
  },
  silent: jobSilent,
  refused: {
    ...jobRefused,
    ignoreQueryParameters: 'a page may depend on its query: leave such pages out by excludePaths',
    prompt: 'needs a language model, and asof has none: use includePaths and excludePaths',
    regexOnFullURL: 'asof compares paths only',
  },
}

const DEFAULT_LIMIT = 100

const crawlFields = {
  url: z.string(),
  limit: z.int().min(1).optional(),
  includePaths: z.array(z.string()).optional(),
  excludePaths: z.array(z.string()).optional(),
  maxDiscoveryDepth: z.int().min(0).optional(),
  crawlEntireDomain: z.boolean().default(false),
  sitemap: z.enum(['include', 'skip', 'only']).optional(),
  scrapeOptions: z.looseObject({}).optional(),
  query_time: z.string().optional(),
}

const crawlNames: Readonly<Record<string, string>> = {
  include: 'includePaths',
  exclude: 'excludePaths',
  max_depth: 'maxDiscoveryDepth',
  entire_host: 'crawlEntireDomain',
}

function refuseWait(path: string, waitFor: number | undefined): void {
  // A wait of 0 is the default, which a client may fill in.
  if (waitFor) throw refusedFields('invalid_request', [{ path, reason: CHANGES_PAGE }])
}

function startCrawl(sent: RoutedRequest): AnswerRequest {
  const warnings: DialectWarning[] = []
  refuseStrayInstants(sent.fields, ['query_time'])
  const fields = readVendorFields(z.looseObject(crawlFields), sent.fields, { path: '', rules: crawlRules, warnings })
  const read = { path: 'scrapeOptions.', rules: optionRules, warnings }
  const optionSchema = z.looseObject({ ...optionFields, waitFor: z.number().optional() })
  const options = readVendorFields(optionSchema, fields.scrapeOptions ?? {}, read)
  refuseWait('scrapeOptions.waitFor', options.waitFor)
  if (fields.sitemap === 'only')
    throw refusedFields('invalid_request', [{ path: 'sitemap', reason: 'a crawl follows links, and reads no sitemap' }])
  if (fields.sitemap === 'include') warnings.push({ path: 'sitemap', message: 'left out: a crawl follows links' })
  if (fields.limit === undefined)
    warnings.push({ path: 'limit', message: `${DEFAULT_LIMIT} pages, which is the default of asof` })
  const formats = readJobFormats('scrapeOptions.formats', options.formats, warnings)
  const request = {
    url: urlOf('url', fields.url),
    limit: fields.limit ?? DEFAULT_LIMIT,
    include: pathPatterns('includePaths', fields.includePaths),
    exclude: pathPatterns('excludePaths', fields.excludePaths),
    max_depth: fields.maxDiscoveryDepth,
    entire_host: fields.crawlEntireDomain,
    query_time: oneInstant(sent, { query_time: fields.query_time }),
  }
  return async asking => {
    const { id } = await asking.crawls().start(request, noteOf(formats, warnings))
    return { success: true, id, url: `${sent.address}/v2/crawl/${id}` }
  }
}

/** Returns a text that is an absolute URL. @throws ServiceError invalid_request - the text is not a URL. */
function urlOf(path: string, text: string): string {
  if (URL.canParse(text)) return text
  throw refusedFields('invalid_request', [{ path, reason: 'must be an absolute URL' }])
}

const batchFields = {
  ...optionFields,
  urls: z.array(z.string()).min(1),
  ignoreInvalidURLs: z.boolean().default(true),
  waitFor: z.number().optional(),
  query_time: z.string().optional(),
}
const batchRules: VendorFieldRules = {
  leftOut: optionRules.leftOut ?? {},
  silent: [...(optionRules.silent ?? []), ...jobSilent],
  refused: { ...optionRules.refused, ...jobRefused, appendToId: 'start another batch' },
}

function startBatch(sent: RoutedRequest): AnswerRequest {
  const warnings: DialectWarning[] = []
  refuseStrayInstants(sent.fields, ['query_time'])
  const fields = readVendorFields(z.looseObject(batchFields), sent.fields, { path: '', rules: batchRules, warnings })
  refuseWait('waitFor', fields.waitFor)
  const formats = readJobFormats('formats', fields.formats, warnings)
  const invalid = fields.urls.filter(url => !URL.canParse(url))
  const valid = fields.urls.filter(url => URL.canParse(url))
  const [first] = invalid
  if (first !== undefined && (!fields.ignoreInvalidURLs || valid.length === 0))
    throw refusedFields('invalid_request', [
      { path: `urls[${fields.urls.indexOf(first)}]`, reason: 'must be an absolute URL' },
    ])
  const query_time = oneInstant(sent, { query_time: fields.query_time })
  const request = { urls: valid, query_time }
  return async asking => {
    const { id } = await asking.crawls().start(request, noteOf(formats, warnings))
    return { success: true, id, url: `${sent.address}/v2/batch/scrape/${id}`, invalidURLs: invalid }
  }
}

/** The states of Firecrawl for those of asof. */
const statuses = { running: 'scraping', completed: 'completed', cancelled: 'cancelled', failed: 'failed' } as const

const stateFields = z.looseObject({
  cursor: z
    .string()
    .regex(/^\d{1,9}$/, { error: 'must be that of an answer' })
    .optional(),
})

/** Returns the state of a crawl with the pages after those of the answer before. */
function readState(path: string): (sent: RoutedRequest) => AnswerRequest {
  return ({ fields, params: { id = '' }, address }) => {
    const { cursor } = readVendorFields(stateFields, fields, { path: '', rules: {}, warnings: [] })
    return async asking => {
      const crawls = asking.crawls()
      return await writeState(crawls, `${address}${path}/${id}`, await crawls.read(id, cursor))
    }
  }
}

async function writeState(crawls: DialectCrawls, address: string, job: CrawlJobPagesResponse): Promise<object> {
  const { formats, warning } = crawlNote.parse(JSON.parse((await crawls.noteOf(job.id)) ?? '{"formats":["markdown"]}'))
  // A client follows `next` without a pause, so a running crawl has it only while pages are ready.
  const hasMore = job.next !== undefined && Number(job.next) < job.delivered
  return {
    success: true,
    status: statuses[job.state],
    completed: job.delivered,
    total: job.state === 'running' ? job.limit : job.delivered,
    creditsUsed: job.delivered,
    expiresAt: job.expires_at,
    next: hasMore ? `${address}?cursor=${job.next}` : undefined,
    warning: [warning, job.failure].filter(text => text !== undefined).join('; ') || undefined,
    data: job.pages.map(page => writeDocument(page, { url: page.url, formats, warnings: [] })),
  }
}

/** Lists all pages that a crawl could not read so far. Clients ask for no further ones. */
function readErrors({ params: { id = '' } }: RoutedRequest): AnswerRequest {
  return async asking => {
    const crawls = asking.crawls()
    const errors: CrawlJobErrorsResponse['errors'] = []
    let next: string | undefined
    do {
      const read = await crawls.errors(id, next)
      errors.push(...read.errors)
      // A crawl that runs always has a next.
      next = read.errors.length === 0 ? undefined : read.next
    } while (next !== undefined)
    const isRobots = (error: string) => error === 'robots_disallowed'
    return {
      success: true,
      errors: errors
        .filter(({ error }) => !isRobots(error))
        .map(({ url, error, message, at }, i) => ({
          id: `${id}-${i}`,
          timestamp: at,
          url,
          code: error,
          error: message,
        })),
      robotsBlocked: errors.filter(({ error }) => isRobots(error)).map(({ url }) => url),
    }
  }
}

/** Cancels a crawl. One that has ended before keeps its state, which the answer has. */
function cancel({ params: { id = '' } }: RoutedRequest): AnswerRequest {
  return async asking => {
    const { state } = await asking.crawls().cancel(id)
    return { success: true, status: statuses[state] }
  }
}

function listActive(): AnswerRequest {
  return async asking => {
    const { crawls } = await asking.crawls().list()
    const running = crawls.filter(({ state, url }) => state === 'running' && url !== undefined)
    return { success: true, crawls: running.map(({ id, url }) => ({ id, teamId: '', url })) }
  }
}

/** The routes of one kind of job. */
function jobRoutes(path: string, names: DialectRoute['names'], start: DialectRoute['read']): DialectRoute[] {
  return [
    { methods: ['POST'], path, names, read: start },
    { methods: ['GET'], path: `${path}/:id`, names, read: readState(path) },
    { methods: ['GET'], path: `${path}/:id/errors`, names, read: readErrors },
    { methods: ['DELETE'], path: `${path}/:id`, names, read: cancel },
  ]
}

/** Crawls and batches of Firecrawl: jobs, of which clients ask for the state. */
export const firecrawlJobs: readonly DialectRoute[] = [
  ...jobRoutes('/v2/crawl', crawlNames, startCrawl),
  { methods: ['GET'], path: '/v2/crawl/active', names: {}, read: listActive },
  ...jobRoutes('/v2/batch/scrape', {}, startBatch),
]
