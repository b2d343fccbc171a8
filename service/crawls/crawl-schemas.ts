import { fieldTypes } from '@asof/extract/field-kinds'
import { z } from 'zod'

/** The answers about crawls, with the names of the wire. */

/** Number of failures that are shown with a report. `crawls.failures` lists all of them. */
export const FAILURES_SHOWN = 20

const count = z.int().min(0)
const instant = z.iso.datetime()
const counts = z.record(z.string(), count).readonly()

const failureAnswer = z.strictObject({
  url: z.string(),
  code: z.string(),
  message: z.string(),
  found_on: z.string().nullable().describe('The page with the link. Null for a URL where the crawl starts.'),
})
export type FailureAnswer = z.output<typeof failureAnswer>

const reportAnswer = z.strictObject({
  fetched: count,
  stored: count,
  unchanged: count,
  revised: count,
  duplicates: count,
  removed: count,
  noindex: count,
  fresh: count,
  rendered: count,
  bytes: count,
  skipped_by_robots: count,
  without_text: count,
  without_text_urls: z.array(z.string()).readonly().describe('The first ten pages without text.'),
  replaced_characters: count,
  replaced_urls: z
    .array(z.string())
    .readonly()
    .describe('The first ten pages with characters that could not be decoded.'),
  failed: counts.describe('Number of pages that failed, by error code.'),
  sitemaps_failed: count,
  statuses: counts.describe('Number of answers, by HTTP status.'),
  duration_ms: z.number(),
  pending: count,
  known: counts.describe('Number of known URLs in each state.'),
  finished: z.boolean(),
  failures: z.array(failureAnswer).readonly().describe(`The last ${FAILURES_SHOWN} failures.`),
})
export type ReportAnswer = z.output<typeof reportAnswer>

const crawlAnswer = z.strictObject({
  name: z.string(),
  state: z.enum(['running', 'stopping', 'finished', 'stopped', 'interrupted', 'failed']),
  watch: z.boolean(),
  can_resume: z.boolean().describe('True if a server started the crawl and so knows its definition.'),
  started_at: instant,
  ended_at: instant.nullable(),
  failure: z.string().nullable(),
  report: reportAnswer.nullable(),
})

/** The last crawl of a name, and its progress, with the field names of the wire. */
export type CrawlAnswer = z.output<typeof crawlAnswer>

/** The progress of a running crawl with the names of the wire. */
export interface ProgressAnswer {
  name: string
  state: 'running' | 'stopping'
  watch: boolean
  started_at: string
  hosts: { active: number; waiting: number; resting: number }
  queues: readonly { host: string; pending: number }[]
  report: ReportAnswer | null
}

const dueAnswer = z.strictObject({
  now: count,
  hour: count,
  day: count,
  later: count,
  complete: z.boolean().describe('False if there are more URLs than were counted.'),
})

const fieldAnswer = z.strictObject({
  name: z.string(),
  type: z.enum(fieldTypes),
  value: z.unknown().optional().describe('Absent if the page has no value of this type.'),
})

const previewAnswer = z.strictObject({
  name: z.string(),
  pages: count.describe('Number of distinct URLs in scope that were found.'),
  duration_ms: z.number().describe('Estimated time for fetching them.'),
  complete: z.boolean(),
  seeds: z
    .array(
      z.strictObject({
        url: z.string(),
        verdict: z.enum(['fetched', 'robots', 'outside', 'unread']),
        error: z.string().nullable(),
        delay_ms: z.number(),
        links: count,
        in_scope: count,
        examples: z.array(z.string()).readonly(),
        fields: z.array(fieldAnswer).optional(),
      }),
    )
    .readonly(),
  sitemaps: z
    .array(
      z.strictObject({
        url: z.string(),
        pages: count,
        in_scope: count,
        examples: z.array(z.string()).readonly(),
        error: z.string().nullable(),
        tried: z
          .array(
            z.strictObject({
              url: z.string(),
              fields: z.array(fieldAnswer).optional(),
              error: z.string().optional(),
            }),
          )
          .optional(),
      }),
    )
    .readonly(),
})
export type PreviewAnswer = z.output<typeof previewAnswer>
export type FieldAnswer = z.output<typeof fieldAnswer>

/** The crawl that an act started, resumed or stopped. */
const started = z.strictObject({ name: z.string() })

/** The answer of each act on crawls. */
export const crawlAnswers = {
  list: z.strictObject({ crawls: z.array(crawlAnswer) }),
  preview: previewAnswer,
  start: started,
  resume: started,
  stop: started,
  due: dueAnswer,
  failures: z.strictObject({ failures: z.array(failureAnswer) }),
} as const

export type CrawlActName = keyof typeof crawlAnswers

/** The answer of an act. */
export type CrawlActAnswer<Act extends CrawlActName> = z.output<(typeof crawlAnswers)[Act]>
