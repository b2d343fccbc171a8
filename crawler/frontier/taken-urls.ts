import type { SharedDatabase } from '../../database/index.ts'
import type { CrawlerLease } from '../database/crawler-lease.ts'
import { idOf, type UrlRow } from './url-rows.ts'

/**
 * The URLs in flight of all crawlers of a crawl. A crawler may leave a host before its pages are committed, and a
 * redirect may lead to a page of another crawler's host: this table keeps all others from fetching such a page again.
 * What a dead crawler has taken is free.
 */
export class TakenUrls {
  readonly #database: SharedDatabase
  readonly #lease: CrawlerLease
  readonly #crawl: number
  /** The URLs that this crawler has in flight, with the targets of their redirects. */
  readonly #mine = new Map<string, Set<string>>()

  constructor(database: SharedDatabase, lease: CrawlerLease, crawl: number) {
    this.#database = database
    this.#lease = lease
    this.#crawl = crawl
  }

  has(url: string): boolean {
    return this.#mine.has(url)
  }

  /** Returns the next URL in the queue of a host, and takes it if it is due. Undefined if all URLs are taken. */
  async next(host: string, nowAt: number): Promise<UrlRow | undefined> {
    for (;;) {
      const [row] = await this.#database.write(
        // The lock waits for a crawler that is just recording the outcome of the URL.
        sql => sql<(UrlRow & { dueAt: number; rank: number; isTaken: boolean })[]>`
          with first as (
            select crawl, id, url, record, due_at, rank from frontier.url u
            where crawl = ${this.#crawl} and host = ${host} and due_at is not null and (
              select true from frontier.taken t join frontier.crawler o on o.id = t.taker
              where t.crawl = u.crawl and t.id = u.id and o.alive_until > clock_timestamp()
            ) is null
            order by due_at, rank, depth, arrival limit 1 for update
          ), took as (
            insert into frontier.taken as t (crawl, id, taker)
            select crawl, id, ${this.#lease.id} from first where due_at <= ${Math.floor(nowAt)}
            on conflict (crawl, id) do update set taker = excluded.taker
            where not exists (select from frontier.crawler o where o.id = t.taker and o.alive_until > clock_timestamp())
            returning id
          )
          select url, record, due_at as "dueAt", rank, exists (select from took) as "isTaken" from first`,
      )
      if (!row) return undefined
      const { url, record, dueAt, rank, isTaken } = row
      if (isTaken) this.#mine.set(url, new Set())
      // Another crawler was faster, whose redirect led here.
      else if (dueAt <= nowAt) continue
      return { url, record, place: { dueAt, priority: rank } }
    }
  }

  /**
   * Takes the target of a redirect of a URL, until the URL lands.
   *
   * @returns false if the target is in flight.
   */
  async reserve(target: string, url: string): Promise<boolean> {
    const targets = this.#mine.get(url)
    if (target === url || targets?.has(target)) return true
    const taken = await this.#database.write(
      sql => sql`
        insert into frontier.taken as t (crawl, id, taker) values (${this.#crawl}, ${idOf(target)}, ${this.#lease.id})
        on conflict (crawl, id) do update set taker = excluded.taker
        where not exists (select from frontier.crawler o where o.id = t.taker and o.alive_until > clock_timestamp())
        returning id`,
    )
    if (taken.length > 0) targets?.add(target)
    return taken.length > 0
  }

  /** Returns which of some URLs this crawler has in flight, and the ids to free: also those of their redirects. */
  landing(urls: readonly string[]): { urls: string[]; ids: string[] } {
    const landing = urls.filter(url => this.#mine.has(url))
    return { urls: landing, ids: landing.flatMap(url => [url, ...(this.#mine.get(url) ?? [])]).map(idOf) }
  }

  /** Marks URLs as no longer in flight, once the database says so. */
  land(urls: readonly string[]): void {
    for (const url of urls) this.#mine.delete(url)
  }

  /** Returns a URL to the queue. */
  async putBack(url: string): Promise<void> {
    const { ids } = this.landing([url])
    await this.#database.write(
      sql => sql`
        delete from frontier.taken
        where crawl = ${this.#crawl} and id = any(${ids}::uuid[]) and taker = ${this.#lease.id}`,
    )
    this.land([url])
  }

  /** Frees all URLs of this crawler, because a new run has queued them. */
  async forget(): Promise<void> {
    this.#mine.clear()
    await this.#database.write(
      sql => sql`delete from frontier.taken where crawl = ${this.#crawl} and taker = ${this.#lease.id}`,
    )
  }
}
