import { only, type SharedDatabase } from '../../database/index.ts'
import type { CrawlerLease } from '../database/crawler-lease.ts'
import type { RunRecord } from './frontier-record.ts'

const HOSTS_READ_AT_ONCE = 200
/** Time for which a crawler's share of the hosts is kept, ms. */
const SHARE_KEPT_MS = 1000
/** Number of hosts with a queue from which crawlers need not share them out. */
const MANY_HOSTS = 5000

/** A host that this crawler owns. */
interface HeldHost {
  /** Number of URLs to be fetched, including those in flight. */
  pending: number
}

/** The hosts of a crawl that this crawler owns, so that no other takes URLs of them. */
export class HeldHosts {
  readonly #database: SharedDatabase
  readonly #lease: CrawlerLease
  readonly #crawl: number
  readonly #hosts = new Map<string, HeldHost>()
  /** Maximum number of hosts to hold, and when it was computed, ms since this process started. */
  #share = Number.POSITIVE_INFINITY
  #shareReadAt = Number.NEGATIVE_INFINITY

  constructor(database: SharedDatabase, lease: CrawlerLease, crawl: number) {
    this.#database = database
    this.#lease = lease
    this.#crawl = crawl
  }

  /**
   * Takes a host that no other living crawler owns, unless the run is over.
   *
   * @returns false if another crawler owns the host, this crawler has its share of the hosts, or the run is over.
   */
  async claim(host: string, run: RunRecord): Promise<boolean> {
    if (this.#hosts.has(host)) return true
    const share = await this.#fairShare(run)
    if (this.#hosts.size >= share) return false
    const [claimed] = await this.#database.write(
      sql => sql<{ pending: number }[]>`
        insert into frontier.host as h (crawl, host, owner)
        select ${this.#crawl}, ${host}, me.id from frontier.crawler me
        where me.id = ${this.#lease.id} and me.alive_until > clock_timestamp()
          and exists (select from frontier.crawl where id = ${this.#crawl} and run = ${run.run} and state = 'running')
        on conflict (crawl, host) do update set owner = excluded.owner
        where h.owner is null or h.owner = excluded.owner
          or not exists (select from frontier.crawler o where o.id = h.owner and o.alive_until > clock_timestamp())
        returning h.pending`,
    )
    if (claimed) this.#hosts.set(host, { pending: claimed.pending })
    return claimed !== undefined
  }

  /** Lists the next hosts after a host, by name, that have a queue and that no other living crawler owns. */
  async free(after: string, { watch }: RunRecord): Promise<{ host: string; dueAt: number }[]> {
    this.#lease.check()
    const rows = await this.#database.read(
      sql => sql<{ host: string; dueAt: number }[]>`
        select h.host, q.due_at as "dueAt" from frontier.host h
        cross join lateral (
          select due_at from frontier.url u
          where u.crawl = h.crawl and u.host = h.host and due_at is not null and (
            select true from frontier.taken t join frontier.crawler o on o.id = t.taker
            where t.crawl = u.crawl and t.id = u.id and o.alive_until > clock_timestamp()
          ) is null
          order by due_at limit 1
        ) q
        left join frontier.crawler o on o.id = h.owner and o.alive_until > clock_timestamp()
        where h.crawl = ${this.#crawl} and h.host > ${after} ${watch ? sql`` : sql`and h.waits`}
          and (o.id is null or o.id = ${this.#lease.id})
        order by h.host limit ${HOSTS_READ_AT_ONCE}`,
    )
    return [...rows]
  }

  /** Gives up a host. */
  async leave(host: string): Promise<void> {
    if (!this.#hosts.delete(host)) return
    await this.#database.write(
      sql => sql`
        update frontier.host set owner = null
        where crawl = ${this.#crawl} and host = ${host} and owner = ${this.#lease.id}`,
    )
  }

  /** Returns the number of URLs of a host to be fetched; 0 if it is not held. */
  pendingOf(host: string): number {
    return this.#hosts.get(host)?.pending ?? 0
  }

  /** Records that the number of URLs of a host to be fetched has changed. */
  addPending(host: string, change: number): void {
    const held = this.#hosts.get(host)
    if (held) held.pending += change
  }

  /** Forgets all hosts, because a new run has queued all URLs. They must be claimed again. */
  forget(): void {
    this.#hosts.clear()
  }

  /**
   * Returns how many hosts this crawler may hold: the number of hosts with a queue, divided by the number of crawlers, so that each
   * crawler gets some. Returns `Infinity` if there are many hosts, or no other crawler.
   */
  async #fairShare({ run, watch }: RunRecord): Promise<number> {
    const now = performance.now()
    if (now < this.#shareReadAt + SHARE_KEPT_MS) return this.#share
    const rows = await this.#database.read(
      sql => sql<{ hosts: number; crawlers: number }[]>`
        select (
          select count(*)::int from (
            select from frontier.host where crawl = ${this.#crawl} ${watch ? sql`` : sql`and waits`}
            limit ${MANY_HOSTS}
          ) h
        ) as hosts, (
          select count(*)::int from frontier.crawler
          where crawl = ${this.#crawl} and run = ${run} and alive_until > clock_timestamp()
        ) as crawlers`,
    )
    const { hosts, crawlers } = only(rows)
    this.#share = crawlers < 2 || hosts >= MANY_HOSTS ? Number.POSITIVE_INFINITY : Math.ceil(hosts / crawlers)
    this.#shareReadAt = now
    return this.#share
  }
}
