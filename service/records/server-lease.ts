import { randomUUID } from 'node:crypto'
import type { SharedDatabase } from '../../database/index.ts'

/** How long the locks of a server count after it was last heard of, ms. */
export const DEFAULT_SERVER_LEASE_MS = 30_000
const RENEWALS_PER_LEASE = 3

/**
 * The place of this process among the servers that lock something. It is renewed all the time, so that the locks of a server that was
 * killed end by themselves. A lease that has ended is never renewed, because others may have its locks by then.
 */
export class ServerLease {
  readonly id = randomUUID()
  readonly #database: SharedDatabase
  readonly #leaseMs: number
  readonly #onRenewed: () => void
  #timer: NodeJS.Timeout | undefined
  /** When the last renewal that succeeded was begun, ms since this process started. */
  #renewedAt = 0
  #isLost = false
  #renewing: Promise<void> | undefined

  private constructor(database: SharedDatabase, leaseMs: number, onRenewed: () => void) {
    this.#database = database
    this.#leaseMs = leaseMs
    this.#onRenewed = onRenewed
  }

  /**
   * Joins the servers.
   *
   * @param onRenewed - called after each renewal: the database can be reached.
   * @throws ASOF_STORE_WRITE
   */
  static async take(database: SharedDatabase, leaseMs: number, onRenewed: () => void): Promise<ServerLease> {
    const lease = new ServerLease(database, leaseMs, onRenewed)
    const { id } = lease
    lease.#renewedAt = performance.now()
    await database.write(
      sql => sql`
        with ended as (delete from server where alive_until < clock_timestamp() - interval '1 day' returning id),
        leftover as (delete from server_lock where server in (select id from ended))
        insert into server values (${id}, clock_timestamp() + ${leaseMs}::float8 * interval '1 millisecond')`,
    )
    lease.#timer = setInterval(() => {
      lease.#renewing ??= lease.#renew().finally(() => {
        lease.#renewing = undefined
      })
    }, leaseMs / RENEWALS_PER_LEASE).unref()
    return lease
  }

  /** False if the lease has ended. The database decides; this only notices it before asking. */
  get isAlive(): boolean {
    return !this.#isLost && performance.now() - this.#renewedAt <= this.#leaseMs
  }

  /** Leaves the servers. @throws ASOF_STORE_WRITE - the lease ends by itself. */
  async release(): Promise<void> {
    this.stop()
    await this.#renewing
    await this.#database.write(sql => sql`delete from server where id = ${this.id}`)
  }

  /** Stops renewing, as if the process had died. */
  stop(): void {
    this.#isLost = true
    clearInterval(this.#timer)
  }

  async #renew(): Promise<void> {
    const startedAt = performance.now()
    const renewed = await this.#database
      .write(
        sql => sql`
          update server set alive_until = clock_timestamp() + ${this.#leaseMs}::float8 * interval '1 millisecond'
          where id = ${this.id} and alive_until > clock_timestamp() returning id`,
      )
      // The database may be back before the lease ends.
      .catch(() => undefined)
    if (!renewed || this.#isLost) return
    if (renewed.length === 0) return this.stop()
    this.#renewedAt = startedAt
    this.#onRenewed()
  }
}
