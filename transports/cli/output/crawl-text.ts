import { fieldsInJson } from '@asof/core'
import type {
  CorpusPreview,
  CrawlEntry,
  CrawlEvent,
  CrawlFailure,
  CrawlReport,
  FieldPreview,
  QueueLength,
} from '../../../crawler/index.ts'
import { printable } from '../../../service/index.ts'
import type { CrawlAnswer } from '../../client/index.ts'
import { pluralize, privateHint, shellWord } from './wording.ts'
import { joinItems, wrap } from './wrapped-text.ts'

function failedPages(report: Readonly<CrawlReport>): number {
  return Object.values(report.failed).reduce((sum, count) => sum + count, 0)
}

/** Returns a duration in a suitable unit: `45 s`, `12 min`, `3.5 h`. */
export function durationText(ms: number): string {
  if (ms < 90_000) return `${Math.round(ms / 1000)} s`
  if (ms < 90 * 60_000) return `${Math.round(ms / 60_000)} min`
  return `${(ms / 3_600_000).toFixed(1)} h`
}

/**
 * Returns the progress of a crawl in one line. The most important figures come first, because a narrow terminal shows only the
 * beginning.
 */
export function progressText({ report, ...event }: CrawlEvent): string {
  const { fetched, stored, unchanged, pending, durationMs } = report
  const seen = fetched + failedPages(report)
  const rate = durationMs > 0 ? (seen * 1000) / durationMs : 0
  const hosts = event.kind === 'page' ? hostsText(event) : ''
  const queues = event.kind === 'page' ? queuesText(event.queues) : ''
  // The time is a lower bound, because pages that are not fetched yet may link to more pages.
  const left = rate > 0 && pending > 0 ? ` (${durationText((pending / rate) * 1000)} or more)` : ''
  return (
    `crawling: ${fetched} fetched, ${pending} to go${left}, ${failedPages(report)} failed, ${stored} stored, ` +
    `${unchanged} unchanged, ${rate.toFixed(1)}/s${hosts}${queues}`
  )
}

function hostsText({
  hosts,
  hostsWaiting,
  hostsResting,
}: Omit<Extract<CrawlEvent, { kind: 'page' }>, 'report'>): string {
  const queues: string[] = []
  if (hostsWaiting > 0) queues.push(`${hostsWaiting} waiting`)
  if (hostsResting > 0) queues.push(`${hostsResting} resting`)
  return `, ${pluralize(hosts, 'host')}${queues.length > 0 ? ` (${queues.join(', ')})` : ''}`
}

const INDENT = '  '
/** Indent of the second and later lines of an indented message. */
const HANGING = '    '
const SHOWN_QUEUES = 3

function queuesText(queues: readonly QueueLength[]): string {
  const longest = queues.slice(0, SHOWN_QUEUES).map(({ host, pending }) => `${printable(host)} ${pending}`)
  return longest.length > 0 ? `; longest queues: ${longest.join(', ')}` : ''
}

/** Returns the progress of a crawl as one line of JSON. */
export function progressJson(event: CrawlEvent): string {
  const { kind, report } = event
  const { failures: _, robotsUnreadable: __, robotsShortened: ___, unprovenAddresses: ____, ...figures } = report
  if (event.kind !== 'page') return JSON.stringify({ event: kind, ...figures })
  const { hosts, hostsWaiting, hostsResting, queues } = event
  return JSON.stringify({ event: kind, hosts, hostsWaiting, hostsResting, queues, ...figures })
}

/** Returns the crawls that were run over a data folder, each in one paragraph. */
export function crawlsText(crawls: readonly CrawlEntry[]): string {
  if (crawls.length === 0) return 'nothing has been crawled yet'
  return crawls
    .map(({ name, watch, startedAt, ...entry }) => {
      const began = new Date(startedAt).toISOString().slice(0, 19)
      return wrap(`${began}Z ${printable(name)}${watch ? ' (watching)' : ''}: ${endOf(startedAt, entry)}`, '', '  ')
    })
    .join('\n')
}

/** Returns how a crawl ended, in words. */
function endOf(
  startedAt: number,
  { endedAt, failure, report }: Pick<CrawlEntry, 'endedAt' | 'failure' | 'report'>,
): string {
  if (endedAt === undefined) return 'still running, or it was killed'
  const took = durationText(endedAt - startedAt)
  if (failure !== undefined || !report) return `failed after ${took}: ${printable(failure ?? '')}`
  const { finished, pending, fetched, stored, unchanged } = report
  const end = finished ? 'finished' : `stopped with ${pending} to go`
  return `${end} after ${took}: ${fetched} fetched, ${stored} stored, ${unchanged} unchanged, ${failedPages(report)} failed`
}

/** Returns the first pages that a crawl of a corpus would fetch, as text for people. */
export function previewText({ name, seeds, sitemaps, pages, durationMs }: CorpusPreview): string {
  const verdicts = {
    fetched: 'would be fetched',
    robots: 'disallowed by robots.txt',
    outside: 'out of scope',
    unread: 'could not be read',
  }
  const lines: string[] = []
  for (const { url, verdict, error, delayMs, links, inScope, examples, fields = [] } of seeds) {
    const facts = [verdicts[verdict], `${delayMs} ms between requests`]
    if (links > 0) facts.push(`${links} links`, `${inScope} pages in scope`)
    lines.push(`seed ${printable(url)}`, joinItems(facts, INDENT))
    if (error !== undefined) lines.push(wrap(printable(error), INDENT))
    for (const example of examples) lines.push(INDENT + printable(example))
    for (const field of fields) lines.push(fieldText(field, INDENT))
  }
  for (const { url, pages: total, inScope, examples, error, tried = [] } of sitemaps) {
    lines.push(`sitemap ${printable(url)}`)
    lines.push(wrap(error === undefined ? `${total} pages, ${inScope} in scope` : printable(error), INDENT))
    for (const example of examples) lines.push(INDENT + printable(example))
    for (const page of tried) {
      lines.push(`${INDENT}page ${printable(page.url)}`)
      if (page.error !== undefined) lines.push(wrap(printable(page.error), HANGING))
      for (const field of page.fields ?? []) lines.push(fieldText(field, HANGING))
    }
  }
  const pace = `${durationText(durationMs)} or more at this pace`
  lines.push(wrap(`${name}: at least ${pages} pages in scope, ${pace}; nothing was stored`))
  return lines.join('\n')
}

/** A field of a corpus, with its type and the values that a page has. */
function fieldText({ name, type, value }: FieldPreview, indent: string): string {
  const found = value === undefined ? 'not found' : JSON.stringify(fieldsInJson({ value }).value)
  return wrap(printable(`${name} (${type}): ${found}`), indent, indent + INDENT)
}

const SHOWN_ERRORS = 10

/** Returns a failure as text for people: its code, its URL, the reason, and the page that has the link. */
export function crawlFailureText({ url, code, message, foundOn }: CrawlFailure): string {
  // Most messages name the URL that failed. It may be the target of a redirect or the robots.txt instead of the page.
  const what = message.includes(url) ? message : `${url}: ${message}`
  return wrap(printable(`${code} ${what}${foundOn === undefined ? '' : `, found on ${foundOn}`}`), INDENT, HANGING)
}

/** Returns the command that lists all failures of a crawl. */
function failuresCommand({ name }: CrawlReport, data: string | undefined): string {
  return `asof crawls ${name} --failures${data === undefined ? '' : ` --data ${shellWord(data)}`}`
}

/** Returns what a crawl of a server has done. */
export function serverCrawlText({ name, state, failure, report }: CrawlAnswer): string {
  const { fetched = 0, stored = 0, unchanged = 0, pending = 0, failed = {} } = report ?? {}
  const failures = Object.values(failed).reduce((sum, count) => sum + count, 0)
  const counts = [
    `${fetched} fetched`,
    `${stored} stored`,
    `${unchanged} unchanged`,
    `${failures} failed`,
    `${pending} to go`,
  ]
  const why = failure === null ? '' : `: ${failure}`
  return wrap(printable(`${name}: ${state}${why}; ${counts.join(', ')}`), '', '  ')
}

/** Returns true if a crawl tried to fetch pages, and none of them is in the index. */
export function storedNothing(report: Readonly<CrawlReport>): boolean {
  const { stored, unchanged, fresh, duplicates, fetched, skippedByRobots, known } = report
  const tried = fetched + failedPages(report) + skippedByRobots > 0
  return stored + unchanged + fresh + duplicates === 0 && (tried || known.done === 0)
}

/** Returns what is missing of the text of pages that were stored: the numbers, and the first URLs. */
export function lossesText({
  withoutText,
  withoutTextUrls,
  replacedCharacters,
  replacedUrls,
}: Pick<CrawlReport, 'withoutText' | 'withoutTextUrls' | 'replacedCharacters' | 'replacedUrls'>): string[] {
  return [
    withoutText > 0 && `${pluralize(withoutText, 'page')} without text:`,
    ...withoutTextUrls.map(url => INDENT + printable(url)),
    replacedCharacters > 0 && `${pluralize(replacedCharacters, 'character')} that could not be decoded, in:`,
    ...replacedUrls.map(url => INDENT + printable(url)),
  ].filter(line => line !== false)
}

/** Returns which claimed addresses gave no page, and why. */
function unprovenText({ unproven, unprovenAddresses }: Readonly<CrawlReport>): string[] {
  if (unproven === 0) return []
  const count = unproven === 1 ? 'an address that a page claims gives' : `${unproven} addresses that pages claim give`
  return [
    wrap(`${count} no page (rel=canonical); the pages stay where they were read:`, INDENT, HANGING),
    ...unprovenAddresses.map(({ url, message, claimedBy }) => {
      const what = message.includes(url) ? message : `${url}: ${message}`
      return wrap(printable(`${what}, claimed by ${claimedBy}`), INDENT + INDENT, INDENT + HANGING)
    }),
  ]
}

/**
 * Returns the result of a crawl as text for people.
 *
 * @param data - the `--data` flag of the command, for the command that lists all failures.
 */
export function crawlSummary(report: Readonly<CrawlReport>, data?: string): string {
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
    sitemapsFailed,
    failures,
  } = report
  const shown = failures.slice(0, SHOWN_ERRORS)
  const listed = failedPages(report) + sitemapsFailed
  const hidden = listed - shown.length
  const { ASOF_ADDRESS_REFUSED: refused = 0 } = report.failed
  const isRefused = refused > 0 || failures.some(({ code }) => code === 'ASOF_ADDRESS_REFUSED')
  return [
    joinItems(
      [
        `${fetched} fetched (${(bytes / 1e6).toFixed(1)} MB) in ${(durationMs / 1000).toFixed(1)} s`,
        `${stored} stored`,
        `${unchanged + fresh} unchanged${revised > 0 ? ` (${revised} revised)` : ''}`,
        `${duplicates} duplicates`,
        `${removed} removed`,
        `${skippedByRobots} disallowed by robots.txt`,
        `${failedPages(report)} failed`,
        sitemapsFailed > 0 && `${pluralize(sitemapsFailed, 'sitemap')} not read`,
      ].filter(item => item !== false),
      '',
      INDENT,
    ),
    ...report.robotsUnreadable
      .slice(0, SHOWN_ERRORS)
      .map(({ message }) =>
        wrap(`${printable(message)}: no page of this host is fetched until it can be read`, INDENT, HANGING),
      ),
    ...report.robotsShortened.slice(0, SHOWN_ERRORS).map(({ message }) => wrap(printable(message), INDENT, HANGING)),
    ...shown.map(crawlFailureText),
    hidden > 0 && `${INDENT}and ${hidden} more failures`,
    listed > 0 && `${INDENT}to list all: ${failuresCommand(report, data)}`,
    ...unprovenText(report),
    ...lossesText(report).map(line => INDENT + line),
    isRefused && wrap(privateHint),
    storedNothing(report) && 'no page was stored',
    !report.finished && `stopped with ${pending} to go; run the same command again to resume`,
  ]
    .filter(line => line !== false)
    .join('\n')
}
