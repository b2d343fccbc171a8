import type { SharedDatabase } from '../../database/index.ts'
import type { CrawlerLease } from '../database/crawler-lease.ts'
import type { HostTurns } from './host-turns.ts'

/** Wait while another crawler has the turn of a host and its pause would be over, ms. */
const HELD_CHECK_MS = 100

/**
 * The turns of hosts in PostgreSQL, for all crawls in the database. The clock of the database decides. The turn of a
 * crawler that died is free when its lease has ended.
 */
export class PostgresTurns implements HostTurns {
  readonly #database: SharedDatabase
  readonly #lease: CrawlerLease
  /** Writes that their caller did not wait for. */
  readonly #running = new Set<Promise<void>>()

  constructor(database: SharedDatabase, lease: CrawlerLease) {
    this.#database = database
    this.#lease = lease
  }

  async take(host: string, pauseMs: number): Promise<number> {
    this.#lease.check()
    const taken = await this.#database.write(
      sql => sql`
        insert into frontier.turn as t (host, next_at, owner)
        select ${host}, clock_timestamp() + ${pauseMs}::float8 * interval '1 millisecond', me.id
        from frontier.crawler me where me.id = ${this.#lease.id} and me.alive_until > clock_timestamp()
        on conflict (host) do update set next_at = excluded.next_at, owner = excluded.owner
        where t.next_at <= clock_timestamp() and (t.owner is null
          or not exists (select from frontier.crawler o where o.id = t.owner and o.alive_until > clock_timestamp()))
        returning host`,
    )
    if (taken.length > 0) return 0
    const [row] = await this.#database.read(
      sql => sql<{ waitMs: number }[]>`
        select 1000 * extract(epoch from next_at - clock_timestamp())::float8 as "waitMs"
        from frontier.turn where host = ${host}`,
    )
    return Math.max(Math.ceil(row?.waitMs ?? 0), row && row.waitMs > 0 ? 1 : HELD_CHECK_MS)
  }

  end(host: string, pauseMs: number): Promise<void> {
    return this.#track(
      this.#database.write(
        sql => sql`
          update frontier.turn set owner = null,
            next_at = greatest(next_at, clock_timestamp() + ${pauseMs}::float8 * interval '1 millisecond')
          where host = ${host} and owner = ${this.#lease.id}`,
      ),
    )
  }

  backOff(host: string, waitMs: number): Promise<void> {
    return this.#track(
      this.#database.write(
        sql => sql`
          insert into frontier.turn as t (host, next_at)
          values (${host}, clock_timestamp() + ${waitMs}::float8 * interval '1 millisecond')
          on conflict (host) do update set next_at = greatest(t.next_at, excluded.next_at)`,
      ),
    )
  }

  /** Resolves when all pauses are in the database. To be awaited before the lease is released. */
  async settled(): Promise<void> {
    await Promise.all(this.#running)
  }

  #track(write: Promise<unknown>): Promise<void> {
    const running = write.then(() => {})
    this.#running.add(running)
    // A failure stays in the set, so that `settled` rejects. Handling it here only prevents an unhandled rejection.
    running.then(
      () => this.#running.delete(running),
      () => {},
    )
    return running
  }
}
