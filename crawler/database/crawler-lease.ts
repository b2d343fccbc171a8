import { randomUUID } from 'node:crypto'
import type { SharedDatabase } from '../../database/index.ts'
import { CrawlError } from '../errors.ts'

/** How long a crawler keeps what it owns after it was last heard of, ms. */
export const DEFAULT_LEASE_MS = 30_000
const RENEWALS_PER_LEASE = 3

/**
 * The place of this process among the crawlers of a database. It is renewed all the time. What a crawler owns in the
 * database, such as hosts, carries its id, and belongs to others once its lease has ended. So a crawler that was killed
 * has nothing to give back, and a running crawler renews one row however much it owns.
 *
 * A lease that has ended is never renewed, because others may own by then what it stood for.
 */
export class CrawlerLease {
  readonly id: string
  readonly #database: SharedDatabase
  readonly #leaseMs: number
  readonly #timer: NodeJS.Timeout
  /** When the last renewal that succeeded was begun, ms since this process started. */
  #renewedAt: number
  #isLost = false
  #renewing: Promise<void> | undefined

  private constructor(database: SharedDatabase, id: string, leaseMs: number, renewedAt: number) {
    this.#database = database
    this.id = id
    this.#leaseMs = leaseMs
    this.#renewedAt = renewedAt
    this.#timer = setInterval(() => {
      this.#renewing ??= this.#renew().finally(() => {
        this.#renewing = undefined
      })
    }, leaseMs / RENEWALS_PER_LEASE)
    this.#timer.unref()
  }

  /**
   * Joins the crawlers of a crawl.
   *
   * @param leaseMs - how long what this crawler owns stays its own when it is not heard of.
   */
  static async take(database: SharedDatabase, crawl: number, leaseMs = DEFAULT_LEASE_MS): Promise<CrawlerLease> {
    const id = randomUUID()
    const startedAt = performance.now()
    await database.write(
      sql => sql`
        with ended as (delete from frontier.crawler where alive_until < clock_timestamp() - interval '1 day')
        insert into frontier.crawler (id, crawl, alive_until)
        values (${id}, ${crawl}, clock_timestamp() + ${leaseMs}::float8 * interval '1 millisecond')`,
    )
    return new CrawlerLease(database, id, leaseMs, startedAt)
  }

  /**
   * Throws if the lease has ended. The database decides; this only notices it before asking.
   *
   * @throws ASOF_LEASE_LOST
   */
  check(): void {
    if (this.#isLost || performance.now() - this.#renewedAt > this.#leaseMs) throw this.lost()
  }

  /** Returns the error of a crawler whose lease has ended. */
  lost(): CrawlError {
    this.#isLost = true
    return new CrawlError(
      'ASOF_LEASE_LOST',
      `this crawler could not renew its lease for ${Math.round(this.#leaseMs / 1000)} s, so other crawlers may have its hosts now; run the crawl again`,
    )
  }

  /** Leaves the crawlers. What this one owns is free at once. */
  async release(): Promise<void> {
    clearInterval(this.#timer)
    await this.#renewing
    await this.#database.write(sql => sql`delete from frontier.crawler where id = ${this.id}`)
  }

  async #renew(): Promise<void> {
    const startedAt = performance.now()
    const renewed = await this.#database
      .write(
        sql => sql`
          update frontier.crawler set alive_until = clock_timestamp() + ${this.#leaseMs}::float8 * interval '1 millisecond'
          where id = ${this.id} and alive_until > clock_timestamp() returning id`,
      )
      // The database may be back before the lease ends. If it is not, `check` fails.
      .catch(() => undefined)
    if (!renewed) return
    if (renewed.length === 0) this.#isLost = true
    else this.#renewedAt = startedAt
  }
}
