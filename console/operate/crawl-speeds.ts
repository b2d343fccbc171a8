import type { RunningCrawl } from '../api/wire.ts'

/** A running crawl with its speed. */
export interface CrawlProgress {
  crawl: RunningCrawl
  /** Mean of the last ten seconds. */
  pagesPerSecond: number
  bytesPerSecond: number
  /** Pages of each second, oldest first, for a chart. */
  history: readonly number[]
}

interface Sample {
  atMs: number
  fetched: number
  bytes: number
}

const WINDOW_MS = 10_000
/** Number of seconds in the chart. */
const SECONDS = 60

/** Computes the speeds of crawls from their reports, which come about once a second. */
export class CrawlSpeeds {
  readonly #samples = new Map<string, Sample[]>()

  /** @param nowMs - when the reports came, on a clock that never runs backwards. */
  add(running: readonly RunningCrawl[], nowMs: number): CrawlProgress[] {
    const names = new Set(running.map(({ name }) => name))
    for (const name of this.#samples.keys()) if (!names.has(name)) this.#samples.delete(name)
    return running.map(crawl => {
      const { fetched = 0, bytes = 0 } = crawl.report ?? {}
      const newest = { atMs: nowMs, fetched, bytes }
      const samples = [...(this.#samples.get(crawl.name) ?? []), newest].filter(
        ({ atMs }) => atMs >= nowMs - SECONDS * 1_000,
      )
      this.#samples.set(crawl.name, samples)
      const oldest = samples.find(({ atMs }) => atMs >= nowMs - WINDOW_MS) ?? newest
      const seconds = Math.max(1, (nowMs - oldest.atMs) / 1_000)
      return {
        crawl,
        pagesPerSecond: (fetched - oldest.fetched) / seconds,
        bytesPerSecond: (bytes - oldest.bytes) / seconds,
        history: perSecond(samples, nowMs),
      }
    })
  }
}

function perSecond(samples: readonly Sample[], nowMs: number): number[] {
  const pages = new Array<number>(SECONDS).fill(0)
  samples.forEach(({ atMs, fetched }, i) => {
    const before = samples[i - 1]
    const second = SECONDS - 1 - Math.floor((nowMs - atMs) / 1_000)
    if (before && second >= 0) pages[second] = (pages[second] ?? 0) + fetched - before.fetched
  })
  return pages
}
