import { z } from 'zod'
import { fetchResponse, instantForms, pageUrl } from './page-schemas.ts'
import { filter, limits } from './schema-parts.ts'

const pathPattern = z.string().startsWith('/', { error: 'must start with /' }).max(limits.urlChars)

/** The request for a crawl job, an extension. */
export const crawlJobRequest = z
  .strictObject({
    url: pageUrl
      .max(limits.urlChars)
      .optional()
      .describe('Where the job starts. It reads the pages below this URL, on the same host.'),
    urls: z
      .array(pageUrl.max(limits.urlChars))
      .min(1)
      .max(limits.crawledPages)
      .optional()
      .describe('Reads exactly these pages instead, of any hosts, and follows no links.'),
    entire_host: z
      .boolean()
      .default(false)
      .describe('true reads all pages of the host, and not only those below `url`.'),
    limit: z
      .int()
      .min(1)
      .max(limits.crawledPages)
      .optional()
      .describe(
        'The maximum number of pages. The server may allow fewer. With `urls`, it is their number. Default: 100.',
      ),
    max_depth: z
      .int()
      .min(0)
      .max(100)
      .optional()
      .describe(
        'The maximum number of links between `url` and a page of its site; in the index, the maximum number of path segments below `url`. Default: no maximum.',
      ),
    include: z
      .array(pathPattern)
      .max(limits.crawlPatterns)
      .default([])
      .describe(
        'Only pages whose path and query start with one of these patterns; * matches any characters, a final $ the end.',
      ),
    exclude: z
      .array(pathPattern)
      .max(limits.crawlPatterns)
      .default([])
      .describe('No page whose path and query start with one of these patterns.'),
    query_time: filter(`Read the pages that the index had at this point; no site is asked. ${instantForms}`),
  })
  .check(({ value, issues }) => {
    if ((value.url === undefined) === (value.urls === undefined))
      issues.push({ code: 'custom', path: ['url'], input: value.url, message: 'give either url or urls' })
  })
/** A valid request for a crawl job. */
export type CrawlJobRequest = z.output<typeof crawlJobRequest>
/** A request for a crawl job as it is sent. Fields with a default may be left out. */
export type CrawlJobInput = z.input<typeof crawlJobRequest>

/** A page that a job has delivered. */
export const crawledPage = fetchResponse
  .pick({ url: true, title: true, content: true, author: true, published_at: true, fields: true, metadata: true })
  .extend({
    truncated: z.boolean().describe(`True if the page has more content than ${limits.crawledChars} characters.`),
    acquired_at: z.iso
      .datetime()
      .describe('When this text was indexed or, without `query_time`, fetched from its site.'),
  })

/** A page that a crawl job has delivered. */
export type CrawledPage = z.output<typeof crawledPage>

const count = z.int().min(0)

const job = {
  id: z.string(),
  state: z
    .enum(['running', 'completed', 'cancelled', 'failed'])
    .describe('Pages that were delivered can be read in every state.'),
  source: z
    .enum(['index', 'site'])
    .describe('index: the pages that the index had at `query_time`; site: those of now.'),
  url: z.string().optional().describe('Where the job started. Absent for a list of pages.'),
  query_time: z.iso.datetime().optional().describe('The instant of a job of the index.'),
  limit: count,
  delivered: count.describe('The number of pages so far. Each was charged.'),
  failed: count.describe('The number of pages so far that could not be read. They cost nothing.'),
  made_at: z.iso.datetime(),
  ended_at: z.iso.datetime().optional(),
  expires_at: z.iso.datetime().describe('When the job and its pages are deleted.'),
  failure: z.string().optional().describe('Why the job failed.'),
}

export const crawlJobResponse = z.strictObject(job)

/** A crawl job. */
export type CrawlJobResponse = z.output<typeof crawlJobResponse>

export const crawlJobsResponse = z.strictObject({
  crawls: z.array(crawlJobResponse).describe('The newest first, at most 100.'),
})

/** The last crawl jobs of an organization. */
export type CrawlJobsResponse = z.output<typeof crawlJobsResponse>

/** Where a list of the pages or errors of a job continues. */
export const crawlJobQuery = z.strictObject({
  cursor: filter('The `next` of the previous answer; the answer continues it.').pipe(
    z
      .string()
      .regex(/^\d{1,9}$/, { error: 'must be the next of an answer' })
      .optional(),
  ),
})

const next = z
  .string()
  .optional()
  .describe('Present if there are more, or may be because the job is running; pass it as `cursor`.')

export const crawlJobPagesResponse = z.strictObject({
  ...job,
  pages: z.array(crawledPage).describe('In the order in which they were read.'),
  next,
})

/** A crawl job with some of its pages. */
export type CrawlJobPagesResponse = z.output<typeof crawlJobPagesResponse>

export const crawlJobErrorsResponse = z.strictObject({
  errors: z.array(
    z.strictObject({
      url: z.string(),
      error: z.string().describe('As for a fetch of the page, such as `target_not_found` or `robots_disallowed`.'),
      message: z.string(),
      at: z.iso.datetime(),
    }),
  ),
  next,
})

/** The pages that a crawl job could not read. */
export type CrawlJobErrorsResponse = z.output<typeof crawlJobErrorsResponse>
