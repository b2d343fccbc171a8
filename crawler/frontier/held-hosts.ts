import type { SharedDatabase } from '../../database/index.ts'
import type { CrawlerLease } from '../database/crawler-lease.ts'

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

  constructor(database: SharedDatabase, lease: CrawlerLease, crawl: number) {
    this.#database = database
    this.#lease = lease
    this.#crawl = crawl
  }

  /**
   * Takes a host that no other living crawler owns, while the run goes on.
   *
   * @param share - maximum number of hosts to hold.
   * @returns false if another crawler owns the host, the share is taken, or the run is over.
   */
  async claim(host: string, run: number, share: number): Promise<boolean> {
    if (this.#hosts.has(host)) return true
    if (this.#hosts.size >= share) return false
    const [claimed] = await this.#database.write(
      sql => sql<{ pending: number }[]>`
        insert into frontier.host as h (crawl, host, owner)
        select ${this.#crawl}, ${host}, me.id from frontier.crawler me
        where me.id = ${this.#lease.id} and me.alive_until > clock_timestamp()
          and exists (select from frontier.crawl where id = ${this.#crawl} and run = ${run} and state = 'running')
        on conflict (crawl, host) do update set owner = excluded.owner
        where h.owner is null or h.owner = excluded.owner
          or not exists (select from frontier.crawler o where o.id = h.owner and o.alive_until > clock_timestamp())
        returning h.pending`,
    )
    if (claimed) this.#hosts.set(host, { pending: claimed.pending })
    return claimed !== undefined
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

  /** Forgets what is known about the hosts, because a new run has queued all URLs. To be claimed again. */
  forget(): void {
    this.#hosts.clear()
  }
}
