import { isAsofError } from '../core/index.ts'
import { type CrawlReport, countFailure } from './crawl-report.ts'
import type { Fetcher } from './fetcher.ts'
import type { Frontier } from './frontier.ts'
import type { OriginRules } from './origin-rules.ts'
import { tryNormalise } from './page-visit.ts'
import type { Politeness } from './politeness.ts'
import type { Scope } from './scope.ts'
import { MAX_SITEMAP_BYTES, parseSitemap } from './sitemap.ts'

const maxIndexDepth = 2
const maxFilesPerRoot = 1000
const enqueueBatch = 2000

interface Parts {
  fetcher: Fetcher
  frontier: Frontier
  politeness: Politeness
  rules: OriginRules
  scope: Scope
  report: CrawlReport
  agent: string
  stop: AbortSignal
}

/** Reads sitemaps into the frontier, each once a run. */
export class SitemapDiscovery {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * Reads a sitemap and, where it is an index, those it names, two levels down. A sitemap that can't be had is
   * counted as a failure and costs nothing else.
   *
   * @param vouchingHost - the host whose robots.txt or whose operator named the sitemap: it may list URLs of that
   *   host besides those of its own (sitemaps.org, "cross submits"); all others are ignored.
   */
  async read(sitemapUrl: string, vouchingHost: string): Promise<void> {
    const { frontier, stop } = this.#parts
    if (await frontier.sitemapRead(sitemapUrl)) return
    const waiting = [{ url: sitemapUrl, depth: 0 }]
    const seen = new Set([sitemapUrl])
    for (let at = 0; at < waiting.length && !stop.aborted; at++) {
      const { url, depth } = waiting[at]!
      const children = await this.#readOne(url, vouchingHost)
      if (depth >= maxIndexDepth) continue
      for (const child of children) {
        if (seen.size >= maxFilesPerRoot || seen.has(child)) continue
        seen.add(child)
        waiting.push({ url: child, depth: depth + 1 })
      }
    }
    if (!stop.aborted) await frontier.markSitemapRead(sitemapUrl)
  }

  /** Enqueues the pages of one file; returns the files it names. */
  async #readOne(url: string, vouchingHost: string): Promise<string[]> {
    const { fetcher, frontier, politeness, rules, scope, report, agent, stop } = this.#parts
    const target = new URL(url)
    let body: Uint8Array
    try {
      const answer = await rules.of(target)
      if (answer?.unreachable) throw answer.unreachable
      if (!answer?.rules.allowed(agent, url)) return []
      const endTurn = await politeness.turn(target.host, stop)
      if (!endTurn) return []
      try {
        body = (await fetcher.fetch(url, { maxBytes: MAX_SITEMAP_BYTES, truncate: true })).body
      } finally {
        endTurn()
      }
    } catch (error) {
      if (!isAsofError(error)) throw error
      countFailure(report, url, error)
      return []
    }
    const { entries } = await parseSitemap(body)
    const trusted = entries.filter(entry => {
      const host = new URL(entry.url).host
      return host === target.host || host === vouchingHost
    })
    const pages = trusted.filter(entry => !entry.isSitemap)
    for (let from = 0; from < pages.length; from += enqueueBatch) {
      const urls = pages.slice(from, from + enqueueBatch).flatMap(entry => {
        const normal = tryNormalise(entry.url)
        return normal !== undefined && scope.includes(normal) ? [{ url: normal, depth: 1 }] : []
      })
      await frontier.enqueue(urls)
    }
    return trusted.filter(entry => entry.isSitemap).map(entry => entry.url)
  }
}
