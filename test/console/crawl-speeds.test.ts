import { expect, it } from 'vitest'
import type { RunningCrawl } from '../../console/api/wire.ts'
import { CrawlSpeeds } from '../../console/operate/crawl-speeds.ts'

const none = {
  stored: 0,
  unchanged: 0,
  revised: 0,
  duplicates: 0,
  removed: 0,
  noindex: 0,
  fresh: 0,
  rendered: 0,
  sitemaps_failed: 0,
  known: {},
  finished: false,
  skipped_by_robots: 0,
  without_text: 0,
  without_text_urls: [],
  replaced_characters: 0,
  replaced_urls: [],
}
const crawl = (name: string, fetched: number): RunningCrawl => ({
  name,
  state: 'running',
  watch: false,
  started_at: '2026-01-01T00:00:00Z',
  queues: [],
  hosts: { active: 1, waiting: 0, resting: 0 },
  report: {
    ...none,
    fetched,
    bytes: fetched * 1_000,
    pending: 0,
    duration_ms: 0,
    failed: {},
    statuses: {},
    failures: [],
  },
})

it('computes the speed of the last ten seconds, and the pages of each of the last 60', () => {
  const speeds = new CrawlSpeeds()
  expect(speeds.add([crawl('a', 5)], 0)[0]).toMatchObject({ pagesPerSecond: 0, bytesPerSecond: 0 })
  for (let second = 1; second <= 100; second++) speeds.add([crawl('a', 5 + second)], second * 1_000)
  const [progress] = speeds.add([crawl('a', 155)], 101_000)
  // One page in each of nine seconds, then 50 pages in one.
  expect(progress?.pagesPerSecond).toBeCloseTo(5.9)
  expect(progress?.bytesPerSecond).toBeCloseTo(5_900)
  expect(progress?.history).toHaveLength(60)
  expect(progress?.history.slice(-3)).toEqual([1, 1, 50])
  expect(progress?.history[0]).toBe(1)
})

it('starts anew when a crawl of the same name starts again', () => {
  const speeds = new CrawlSpeeds()
  speeds.add([crawl('a', 100)], 0)
  speeds.add([], 1_000)
  expect(speeds.add([crawl('a', 3)], 2_000)[0]?.pagesPerSecond).toBe(0)
})
