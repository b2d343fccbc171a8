import { fieldsInJson } from '@asof/core'
import { fieldTypes } from '@asof/extract/field-kinds'
import { z } from 'zod'
import type { CorpusPreview, CrawlFailure, CrawlReport, FieldPreview } from '../../crawler/index.ts'
import { timestamp } from '../contract/wire-form.ts'
import type { KnownCrawl, RunningCrawl } from './crawls.ts'

/** The answers about crawls, with the names of the wire. */

/** Number of failures that are shown with a report. `crawls.failures` lists all of them. */
const FAILURES_SHOWN = 20

const count = z.int().min(0)
const instant = z.iso.datetime()
const counts = z.record(z.string(), count).readonly()

export const failureAnswer = z.strictObject({
  url: z.string(),
  code: z.string(),
  message: z.string(),
  found_on: z.string().nullable().describe('The page with the link. Null for a URL where the crawl starts.'),
})
export type FailureAnswer = z.output<typeof failureAnswer>

/** Returns a failure with the names of the wire. */
export function shownFailure({ url, code, message, foundOn }: CrawlFailure): FailureAnswer {
  return { url, code, message, found_on: foundOn ?? null }
}

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

function shownReport(report: Readonly<CrawlReport>): ReportAnswer {
  const { fetched, stored, unchanged, revised, duplicates, removed, noindex, fresh, rendered, bytes } = report
  return {
    fetched,
    stored,
    unchanged,
    revised,
    duplicates,
    removed,
    noindex,
    fresh,
    rendered,
    bytes,
    skipped_by_robots: report.skippedByRobots,
    without_text: report.withoutText,
    without_text_urls: report.withoutTextUrls,
    replaced_characters: report.replacedCharacters,
    replaced_urls: report.replacedUrls,
    failed: report.failed,
    sitemaps_failed: report.sitemapsFailed,
    statuses: report.statuses,
    duration_ms: report.durationMs,
    pending: report.pending,
    known: report.known,
    finished: report.finished,
    failures: report.failures.slice(-FAILURES_SHOWN).map(shownFailure),
  }
}

export const crawlAnswer = z.strictObject({
  name: z.string(),
  state: z.enum(['running', 'stopping', 'finished', 'stopped', 'interrupted', 'failed']),
  watch: z.boolean(),
  can_resume: z.boolean().describe('True if a server started the crawl and so knows its definition.'),
  started_at: instant,
  ended_at: instant.nullable(),
  failure: z.string().nullable(),
  report: reportAnswer.nullable(),
})
export type CrawlAnswer = z.output<typeof crawlAnswer>

/** Returns the last crawl of a name with the names of the wire. */
export function shownCrawl(crawl: KnownCrawl): CrawlAnswer {
  const { name, state, watch, startedAt, endedAt, failure, canResume, report } = crawl
  return {
    name,
    state,
    watch,
    can_resume: canResume,
    started_at: timestamp(startedAt),
    ended_at: timestamp(endedAt) ?? null,
    failure: failure ?? null,
    report: report ? shownReport(report) : null,
  }
}

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

export function progressOf({ name, watch, startedAt, isStopping, last }: Readonly<RunningCrawl>): ProgressAnswer {
  const page = last?.kind === 'page' ? last : undefined
  return {
    name,
    watch,
    state: isStopping ? 'stopping' : 'running',
    started_at: timestamp(startedAt),
    hosts: { active: page?.hosts ?? 0, waiting: page?.hostsWaiting ?? 0, resting: page?.hostsResting ?? 0 },
    queues: page?.queues ?? [],
    report: last ? shownReport(last.report) : null,
  }
}

export const dueAnswer = z.strictObject({
  now: count,
  hour: count,
  day: count,
  later: count,
  complete: z.boolean().describe('False if there are more URLs than were counted.'),
})
export type DueAnswer = z.output<typeof dueAnswer>

const fieldAnswer = z.strictObject({
  name: z.string(),
  type: z.enum(fieldTypes),
  value: z.unknown().optional().describe('Absent if the page has no value of this type.'),
})

export const previewAnswer = z.strictObject({
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

/** Returns a preview with the names of the wire. */
export function shownPreview(preview: CorpusPreview, isComplete: boolean): PreviewAnswer {
  const { name, seeds, sitemaps, pages, durationMs } = preview
  return {
    name,
    pages,
    duration_ms: durationMs,
    complete: isComplete,
    seeds: seeds.map(({ url, verdict, error, delayMs, links, inScope, examples, fields }) => ({
      url,
      verdict,
      error: error ?? null,
      delay_ms: delayMs,
      links,
      in_scope: inScope,
      examples,
      fields: fields?.map(shownField),
    })),
    sitemaps: sitemaps.map(({ url, pages: listed, inScope, examples, error, tried }) => ({
      url,
      pages: listed,
      in_scope: inScope,
      examples,
      error: error ?? null,
      tried: tried?.map(page => ({ ...page, fields: page.fields?.map(shownField) })),
    })),
  }
}

/** Returns a field that a preview found in a page, with its value as JSON writes it. */
export function shownField({ value, ...field }: FieldPreview): z.output<typeof fieldAnswer> {
  return value === undefined ? field : { ...field, ...fieldsInJson({ value }) }
}
