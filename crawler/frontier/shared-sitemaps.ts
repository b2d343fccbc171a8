import type { SharedDatabase } from '../../database/index.ts'
import type { CrawlerLease } from '../database/crawler-lease.ts'
import type { SitemapClaim } from './frontier.ts'
import { idOf } from './url-rows.ts'

/** The sitemaps and feeds of a crawl: which of them a run has read, and which crawler is reading one. */
export class SharedSitemaps {
  readonly #database: SharedDatabase
  readonly #lease: CrawlerLease
  readonly #crawl: number

  constructor(database: SharedDatabase, lease: CrawlerLease, crawl: number) {
    this.#database = database
    this.#lease = lease
    this.#crawl = crawl
  }

  /** See `claimSitemap` of `Frontier`. */
  async claim(
    { url, vouchingHost, nowAt, intervalMs }: SitemapClaim,
    run: number,
  ): Promise<'read' | 'claimed' | 'taken'> {
    const staleAt = intervalMs === undefined ? null : Math.floor(nowAt - intervalMs)
    const [row] = await this.#database.write(
      sql => sql<{ reader: string }[]>`
        insert into frontier.sitemap as s (crawl, id, url, vouching_host, reader)
        values (${this.#crawl}, ${idOf(url)}, ${url}, ${vouchingHost ?? null}, ${this.#lease.id})
        on conflict (crawl, id) do update set reader = excluded.reader, vouching_host = excluded.vouching_host
        where (s.run <> ${run} or s.read_at <= ${staleAt}::bigint) and (s.reader is null
          or s.reader = excluded.reader
          or not exists (select from frontier.crawler o where o.id = s.reader and o.alive_until > clock_timestamp()))
        returning reader`,
    )
    if (row) return 'claimed'
    const [held] = await this.#database.read(
      sql => sql`
        select from frontier.sitemap where crawl = ${this.#crawl} and id = ${idOf(url)} and reader is not null`,
    )
    return held ? 'taken' : 'read'
  }

  /** See `abandonedSitemap` of `Frontier`. */
  async abandoned(run: number): Promise<{ url: string; vouchingHost?: string | undefined } | undefined> {
    const [row] = await this.#database.read(
      sql => sql<{ url: string; vouchingHost: string | null }[]>`
        select url, vouching_host as "vouchingHost" from frontier.sitemap s
        where crawl = ${this.#crawl} and run <> ${run} and reader is not null and not exists (
          select from frontier.crawler o where o.id = s.reader and o.alive_until > clock_timestamp()
        ) limit 1`,
    )
    return row && { url: row.url, vouchingHost: row.vouchingHost ?? undefined }
  }

  /**
   * Records that a run has read a sitemap or feed.
   *
   * @param readAt - epoch ms.
   */
  async markRead(url: string, readAt: number, run: number): Promise<void> {
    await this.#database.write(
      sql => sql`
        insert into frontier.sitemap (crawl, id, url, run, read_at)
        values (${this.#crawl}, ${idOf(url)}, ${url}, ${run}, ${Math.floor(readAt)})
        on conflict (crawl, id) do update set run = excluded.run, read_at = excluded.read_at, reader = null`,
    )
  }
}
