import type { CorpusPreview, CrawlEntry, CrawlEvent, CrawlReport, QueueLength } from '../../../crawler/index.ts'
import { printable } from '../../service/index.ts'
import { privateHint } from './private-hint.ts'

function failures(report: Readonly<CrawlReport>): number {
  return Object.values(report.failed).reduce((sum, count) => sum + count, 0)
}

/** A time to come or gone by, short: `45 s`, `12 min`, `3.5 h`. */
export function durationText(ms: number): string {
  if (ms < 90_000) return `${Math.round(ms / 1000)} s`
  if (ms < 90 * 60_000) return `${Math.round(ms / 60_000)} min`
  return `${(ms / 3_600_000).toFixed(1)} h`
}

/** A crawl under way, in one line. */
export function progressText({ report, ...event }: CrawlEvent): string {
  const { fetched, stored, unchanged, pending, durationMs } = report
  const seen = fetched + failures(report)
  const rate = durationMs > 0 ? (seen * 1000) / durationMs : 0
  const hosts = event.kind === 'page' ? hostsText(event) : ''
  const queues = event.kind === 'page' ? queuesText(event.queues) : ''
  // What is known now tells how long at least; links may lead to more.
  const left = rate > 0 && pending > 0 ? `, ${durationText((pending / rate) * 1000)} or more` : ''
  return (
    `crawling: ${fetched} fetched, ${stored} stored, ${unchanged} unchanged, ${failures(report)} failed, ` +
    `${pending} to go, ${rate.toFixed(1)}/s${hosts}${left}${queues}`
  )
}

function hostsText({
  hosts,
  hostsWaiting,
  hostsResting,
}: Omit<Extract<CrawlEvent, { kind: 'page' }>, 'report'>): string {
  const queues = [
    ...(hostsWaiting > 0 ? [`${hostsWaiting} waiting`] : []),
    ...(hostsResting > 0 ? [`${hostsResting} resting`] : []),
  ]
  return `, ${hosts} host${hosts === 1 ? '' : 's'}${queues.length > 0 ? ` (${queues.join(', ')})` : ''}`
}

const SHOWN_QUEUES = 3

function queuesText(queues: readonly QueueLength[]): string {
  const longest = queues.slice(0, SHOWN_QUEUES).map(({ host, pending }) => `${printable(host)} ${pending}`)
  return longest.length > 0 ? `; longest queues: ${longest.join(', ')}` : ''
}

/** A crawl under way, as one JSON document a line. */
export function progressJson(event: CrawlEvent): string {
  const { kind, report } = event
  const { errors: _, robotsUnreadable: __, ...figures } = report
  if (event.kind !== 'page') return JSON.stringify({ event: kind, ...figures })
  const { hosts, hostsWaiting, hostsResting, queues } = event
  return JSON.stringify({ event: kind, hosts, hostsWaiting, hostsResting, queues, ...figures })
}

/** The crawls that were run over a data folder, one a line. */
export function crawlsText(crawls: readonly CrawlEntry[]): string {
  if (crawls.length === 0) return 'nothing has been crawled yet'
  return crawls
    .map(({ name, watch, startedAt, endedAt, failure, report }) => {
      const began = new Date(startedAt).toISOString().slice(0, 19)
      const how = watch ? ' (watching)' : ''
      if (endedAt === undefined) return `${began}Z  ${name}${how}: running, or killed`
      const took = durationText(endedAt - startedAt)
      if (failure !== undefined || !report)
        return `${began}Z  ${name}${how}: failed after ${took}: ${printable(failure ?? '')}`
      const end = report.finished ? 'finished' : `stopped with ${report.pending} to go`
      return (
        `${began}Z  ${name}${how}: ${end} after ${took}: ${report.fetched} fetched, ${report.stored} stored, ` +
        `${report.unchanged} unchanged, ${failures(report)} failed`
      )
    })
    .join('\n')
}

/** What a crawl of a corpus would begin with, for a reader. */
export function previewText({ name, seeds, sitemaps, pages, durationMs }: CorpusPreview): string {
  const verdicts = {
    fetched: 'would be fetched',
    robots: 'kept out by robots.txt',
    outside: 'out of scope',
    unread: 'could not be read',
  }
  return [
    ...seeds.flatMap(({ url, verdict, error, delayMs, links, inScope, examples }) => [
      `seed ${printable(url)}: ${verdicts[verdict]}, ${delayMs} ms between requests` +
        (links > 0 ? `; ${links} links, ${inScope} pages in scope` : ''),
      ...(error === undefined ? [] : [`  ${printable(error)}`]),
      ...examples.map(example => `  ${printable(example)}`),
    ]),
    ...sitemaps.flatMap(({ url, pages: listed, inScope, examples, error }) => [
      `sitemap ${printable(url)}: ${error === undefined ? `${listed} pages, ${inScope} in scope` : printable(error)}`,
      ...examples.map(example => `  ${printable(example)}`),
    ]),
    `${name}: at least ${pages} pages in scope, ${durationText(durationMs)} or more at this pace; nothing was stored`,
  ].join('\n')
}

const SHOWN_ERRORS = 10

/** What a crawl did, for a reader. */
export function crawlSummary(report: Readonly<CrawlReport>): string {
  const {
    fetched,
    stored,
    unchanged,
    revised,
    fresh,
    duplicates,
    removed,
    skippedByRobots,
    bytes,
    durationMs,
    pending,
    errors,
  } = report
  const shown = errors.slice(0, SHOWN_ERRORS)
  const hidden = failures(report) - shown.length
  return [
    `${fetched} fetched (${(bytes / 1e6).toFixed(1)} MB) in ${(durationMs / 1000).toFixed(1)} s: ` +
      `${stored} stored, ${unchanged + fresh} unchanged${revised > 0 ? ` (${revised} revised)` : ''}, ${duplicates} duplicates, ${removed} removed, ` +
      `${skippedByRobots} kept out by robots.txt, ${failures(report)} failed`,
    ...report.robotsUnreadable
      .slice(0, SHOWN_ERRORS)
      .map(({ message }) => `  ${printable(message)}: nothing there may be fetched until it can be read`),
    // Most messages begin with the URL that failed; it may be a hop or the robots.txt of the page's own.
    ...shown.map(
      ({ url, code, message }) => `  ${code} ${printable(message.includes(url) ? message : `${url}: ${message}`)}`,
    ),
    ...(hidden > 0 ? [`  and ${hidden} more`] : []),
    ...(report.failed.ASOF_ADDRESS_REFUSED ? [privateHint] : []),
    ...(report.finished ? [] : [`stopped with ${pending} to go; the same command goes on from here`]),
  ].join('\n')
}
