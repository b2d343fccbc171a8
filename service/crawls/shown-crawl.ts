import { fieldsInJson } from '@asof/core'
import type { CorpusPreview, CrawlFailure, CrawlReport, FieldPreview } from '../../crawler/index.ts'
import { timestamp } from '../contract/wire-form.ts'
import {
  type CrawlAnswer,
  FAILURES_SHOWN,
  type FailureAnswer,
  type FieldAnswer,
  type PreviewAnswer,
  type ProgressAnswer,
  type ReportAnswer,
} from './crawl-schemas.ts'
import type { KnownCrawl, RunningCrawl } from './crawls.ts'

/** Returns a failure with the names of the wire. */
export function shownFailure({ url, code, message, foundOn }: CrawlFailure): FailureAnswer {
  return { url, code, message, found_on: foundOn ?? null }
}

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
export function shownField({ value, ...field }: FieldPreview): FieldAnswer {
  return value === undefined ? field : { ...field, ...fieldsInJson({ value }) }
}
