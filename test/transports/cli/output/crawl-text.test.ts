import { describe, expect, it } from 'vitest'
import { emptyReport } from '../../../../crawler/crawl-report.ts'
import type { CrawlEvent } from '../../../../crawler/index.ts'
import {
  crawlSummary,
  crawlsText,
  durationText,
  progressJson,
  progressText,
} from '../../../../transports/cli/output/crawl-text.ts'

const report = {
  ...emptyReport(0),
  fetched: 10,
  stored: 8,
  failed: { ASOF_FETCH_STATUS: 2 },
  pending: 60,
  durationMs: 4000,
}
const event: CrawlEvent = {
  ...{
    kind: 'page',
    url: 'https://a.org/',
    outcome: 'captured',
    hosts: 3,
    hostsWaiting: 0,
    hostsResting: 0,
    queues: [],
  },
  report,
}

describe('a crawl under way', () => {
  it('is told with its pace, its hosts and the time that what is known will take', () => {
    expect(progressText(event)).toBe(
      'crawling: 10 fetched, 8 stored, 0 unchanged, 2 failed, 60 to go, 3.0/s, 3 hosts, 20 s or more',
    )
  })
  it('is told with the hosts that wait or rest where there are any', () => {
    expect(progressText({ ...event, hosts: 1, hostsWaiting: 4, hostsResting: 2 })).toContain(
      ', 1 host (4 waiting, 2 resting),',
    )
  })
  it('is told with the longest queues of its hosts', () => {
    const queues = ['a.org', 'b.org', 'c.org', 'd\u001b[2J.org'].map((host, i) => ({ host, pending: 90 - i }))
    expect(progressText({ ...event, queues })).toMatch(/ or more; longest queues: a\.org 90, b\.org 89, c\.org 88$/)
    expect(progressText({ ...event, queues: queues.slice(3) })).not.toContain('\u001b')
    expect(JSON.parse(progressJson({ ...event, queues }))).toMatchObject({ queues })
  })
  it('is a JSON document without its lists of errors', () => {
    const { errors, robotsUnreadable, ...figures } = report
    expect(JSON.parse(progressJson(event))).toEqual({
      ...{ event: 'page', hosts: 3, hostsWaiting: 0, hostsResting: 0, queues: [] },
      ...figures,
    })
    expect(JSON.parse(progressJson({ kind: 'started', resumed: false, report }))).toEqual({
      event: 'started',
      ...figures,
    })
  })
})

it('times are told in the unit that suits them', () => {
  expect([0, 89_000, 90_000, 89 * 60_000, 90 * 60_000].map(durationText)).toEqual([
    '0 s',
    '89 s',
    '2 min',
    '89 min',
    '1.5 h',
  ])
})

describe('the crawls that were run', () => {
  it('are told a line each, by how they ended', () => {
    const call = { name: 'docs', watch: false, startedAt: 0 }
    const ended = { ...call, endedAt: 60_000 }
    const lines = crawlsText([
      call,
      { ...ended, watch: true, failure: 'a full\u001b[2Jdisk' },
      { ...ended, report: { ...report, finished: true } },
      { ...ended, report },
    ]).split('\n')
    expect(lines).toEqual([
      expect.stringMatching(/^1970-01-01T00:00:00Z {2}docs: running, or killed$/),
      expect.stringMatching(/docs \(watching\): failed after 60 s: a full.*disk$/),
      expect.stringContaining('docs: finished after 60 s: 10 fetched, 8 stored, 0 unchanged, 2 failed'),
      expect.stringContaining('docs: stopped with 60 to go after 60 s'),
    ])
    expect(lines[1]).not.toContain('\u001b')
    expect(crawlsText([])).toBe('nothing has been crawled yet')
  })
})

describe('the end of a crawl', () => {
  it('names the first failures, says how many more there are, and how to go on', () => {
    const errors = Array.from({ length: 12 }, (_, i) => ({
      url: `https://a.org/${i}`,
      code: 'ASOF_FETCH_STATUS',
      message: 'status 500',
    }))
    const text = crawlSummary({ ...report, errors, failed: { ASOF_FETCH_STATUS: 12 } })
    expect(text).toContain('  ASOF_FETCH_STATUS https://a.org/0: status 500\n')
    expect(text).not.toContain('https://a.org/10')
    expect(text).toContain('  and 2 more\n')
    expect(text).toContain('stopped with 60 to go; the same command goes on from here')
  })
  it('says how private addresses are allowed when one was refused', () => {
    expect(crawlSummary({ ...report, finished: true, failed: { ASOF_ADDRESS_REFUSED: 1 } })).toContain(
      '--allow-private',
    )
  })
})
