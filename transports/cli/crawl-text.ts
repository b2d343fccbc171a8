import type { CrawlReport } from '../../crawler/index.ts'
import { printable } from '../service/index.ts'
import { privateHint } from './private-hint.ts'

function failures(report: Readonly<CrawlReport>): number {
  return Object.values(report.failed).reduce((sum, count) => sum + count, 0)
}

/** A crawl under way, in one line. */
export function progressText(report: Readonly<CrawlReport>): string {
  const { fetched, stored, unchanged, pending } = report
  return `crawling: ${fetched} fetched, ${stored} stored, ${unchanged} unchanged, ${failures(report)} failed, ${pending} to go`
}

const SHOWN_ERRORS = 10

/** What a crawl did, for a reader. */
export function crawlSummary(report: Readonly<CrawlReport>): string {
  const { fetched, stored, unchanged, duplicates, removed, skippedByRobots, bytes, durationMs, pending, errors } =
    report
  const shown = errors.slice(0, SHOWN_ERRORS)
  const hidden = failures(report) - shown.length
  return [
    `${fetched} fetched (${(bytes / 1e6).toFixed(1)} MB) in ${(durationMs / 1000).toFixed(1)} s: ` +
      `${stored} stored, ${unchanged} unchanged, ${duplicates} duplicates, ${removed} removed, ` +
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
