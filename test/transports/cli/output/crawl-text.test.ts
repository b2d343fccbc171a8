import { describe, expect, it } from 'vitest'
import type { CrawlEvent } from '../../../../crawler/index.ts'
import { emptyReport } from '../../../../crawler/report/crawl-report.ts'
import {
  crawlSummary,
  crawlsText,
  durationText,
  previewText,
  progressJson,
  progressText,
} from '../../../../transports/cli/output/crawl-text.ts'

const report = {
  ...emptyReport('docs', 0),
  fetched: 10,
  stored: 8,
  failed: { ASOF_FETCH_STATUS: 2 },
  pending: 60,
  durationMs: 4000,
}
const event: CrawlEvent = {
  kind: 'page',
  url: 'https://a.org/',
  outcome: 'captured',
  hosts: 3,
  hostsWaiting: 0,
  hostsResting: 0,
  queues: [],
  report,
}

describe('the claimed addresses of a summary', () => {
  const unprovenAddresses = [
    { url: 'https://a.org/x', message: 'https://a.org/x: status 404', claimedBy: 'https://a.org/y' },
  ]

  it('are listed with the reason and the page that claims each', () => {
    const summary = crawlSummary({ ...report, unproven: 1, unprovenAddresses })
    expect(summary).toContain('  an address that a page claims gives no page (rel=canonical)')
    expect(summary).toContain('    https://a.org/x: status 404, claimed by https://a.org/y')
    expect(crawlSummary(report)).not.toContain('claim')
  })
})

describe('the progress of a crawl', () => {
  it('shows counts, the least remaining time, the pace and the hosts', () => {
    expect(progressText(event)).toBe(
      'crawling: 10 fetched, 60 to go (20 s or more), 2 failed, 8 stored, 0 unchanged, 3.0/s, 3 hosts',
    )
  })
  it('shows waiting and resting hosts if there are any', () => {
    expect(progressText({ ...event, hosts: 1, hostsWaiting: 4, hostsResting: 2 })).toContain(
      ', 1 host (4 waiting, 2 resting)',
    )
  })
  it('shows the longest queues of its hosts', () => {
    const queues = ['a.org', 'b.org', 'c.org', 'd\u001b[2J.org'].map((host, i) => ({ host, pending: 90 - i }))
    expect(progressText({ ...event, queues })).toMatch(/ 3 hosts; longest queues: a\.org 90, b\.org 89, c\.org 88$/)
    expect(progressText({ ...event, queues: queues.slice(3) })).not.toContain('\u001b')
    expect(JSON.parse(progressJson({ ...event, queues }))).toMatchObject({ queues })
  })
  it('is one line of JSON without the lists of failures', () => {
    const { failures, robotsUnreadable, robotsShortened, unprovenAddresses, ...figures } = report
    expect(JSON.parse(progressJson(event))).toEqual({
      event: 'page',
      hosts: 3,
      hostsWaiting: 0,
      hostsResting: 0,
      queues: [],
      ...figures,
    })
    expect(JSON.parse(progressJson({ kind: 'started', resumed: false, report }))).toEqual({
      event: 'started',
      ...figures,
    })
  })
})

it('a duration has a suitable unit', () => {
  expect([0, 89_000, 90_000, 89 * 60_000, 90 * 60_000].map(durationText)).toEqual([
    '0 s',
    '89 s',
    '2 min',
    '89 min',
    '1.5 h',
  ])
})

describe('the list of crawls', () => {
  it('shows how each crawl ended, within 80 columns', () => {
    const call = { name: 'docs', watch: false, startedAt: 0 }
    const ended = { ...call, endedAt: 60_000 }
    const text = crawlsText([
      call,
      { ...ended, watch: true, failure: 'a full\u001b[2Jdisk' },
      { ...ended, report: { ...report, finished: true } },
      { ...ended, report },
    ])
    expect(text.split('\n')).toEqual([
      '1970-01-01T00:00:00Z docs: still running, or it was killed',
      '1970-01-01T00:00:00Z docs (watching): failed after 60 s: a full [2Jdisk',
      '1970-01-01T00:00:00Z docs: finished after 60 s: 10 fetched, 8 stored, 0',
      '  unchanged, 2 failed',
      '1970-01-01T00:00:00Z docs: stopped with 60 to go after 60 s: 10 fetched, 8',
      '  stored, 0 unchanged, 2 failed',
    ])
    expect(crawlsText([])).toBe('nothing has been crawled yet')
  })
})

describe('the summary of a crawl', () => {
  it('lists the first failures, counts the others, and says how to resume', () => {
    const failures = Array.from({ length: 12 }, (_, i) => ({
      url: `https://a.org/${i}`,
      code: 'ASOF_FETCH_STATUS',
      message: 'status 500',
    }))
    const text = crawlSummary({ ...report, failures, failed: { ASOF_FETCH_STATUS: 12 } })
    expect(text).toContain('  ASOF_FETCH_STATUS https://a.org/0: status 500\n')
    expect(text).not.toContain('https://a.org/10')
    expect(text).toContain('  and 2 more failures\n  to list all: asof crawls docs --failures\n')
    expect(crawlSummary({ ...report, failures }, "it's here")).toContain(` --failures --data 'it'\\''s here'\n`)
    expect(text).toContain('stopped with 60 to go; run the same command again to resume')
  })
  it('names the page that led to each failure', () => {
    const failure = { code: 'ASOF_FETCH_STATUS', url: 'https://a.org/old', message: 'https://a.org/old: status 404' }
    const failures = [{ ...failure, foundOn: 'https://a.org/news/\u001b[2J2024' }, failure]
    const lines = crawlSummary({ ...report, finished: true, failures }).split('\n')
    expect(lines.slice(2)).toEqual([
      '  ASOF_FETCH_STATUS https://a.org/old: status 404, found on https://a.org/news/',
      '    [2J2024',
      '  ASOF_FETCH_STATUS https://a.org/old: status 404',
      '  to list all: asof crawls docs --failures',
    ])
  })
  it('counts sitemaps that could not be read apart from the pages, and lists them with these', () => {
    const failures = [
      { code: 'ASOF_FETCH_STATUS', url: 'https://a.org/s.xml', message: 'https://a.org/s.xml: status 500' },
    ]
    const text = crawlSummary({ ...report, finished: true, failed: {}, sitemapsFailed: 1, failures })
    expect(text).toMatch(/0 failed,\s+1 sitemap not read\n {2}ASOF_FETCH_STATUS https:\/\/a\.org\/s\.xml: status 500\n/)
    expect(text).toContain('to list all')
    expect(text).not.toContain('more failures')
    expect(crawlSummary({ ...report, finished: true })).not.toContain('sitemap')
  })
  it('says that no page was stored, unless every page is in the index already', () => {
    const none = { ...report, finished: true, failed: {}, fetched: 0, stored: 0, durationMs: 0 }
    const known = { pending: 0, done: 3, failed: 0, skipped: 0 }
    const summaries = [none, { ...none, skippedByRobots: 1, known }, { ...none, known }, { ...none, fresh: 3, known }]
    expect(summaries.map(summary => crawlSummary(summary).includes('no page was stored'))).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
  it('says how to allow private addresses if one was refused', () => {
    expect(crawlSummary({ ...report, finished: true, failed: { ASOF_ADDRESS_REFUSED: 1 } })).toContain(
      '--allow-private',
    )
  })
})

it('a preview shows the fields of the pages of a sitemap below these, within 80 columns', () => {
  const fields = [
    { name: 'price', type: 'number' as const, value: 19.9 },
    { name: 'colors', type: 'keyword' as const, value: Array.from({ length: 9 }, (_, i) => `color number ${i}`) },
    { name: 'sku', type: 'keyword' as const },
  ]
  const text = previewText({
    name: 'shop',
    seeds: [],
    pages: 2,
    durationMs: 0,
    sitemaps: [
      {
        url: 'https://a.org/s.xml',
        pages: 2,
        inScope: 2,
        examples: ['https://a.org/1'],
        tried: [
          { url: 'https://a.org/1', fields },
          { url: 'https://a.org/2', error: 'ASOF_FETCH_STATUS: https://a.org/2: status 404' },
        ],
      },
    ],
  })
  expect(text).toContain('  page https://a.org/1\n    price (number): 19.9\n')
  expect(text).toContain('    sku (keyword): not found\n  page https://a.org/2\n    ASOF_FETCH_STATUS: ')
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
})
