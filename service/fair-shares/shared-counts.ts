import type { Migrations, SharedDatabase } from '../../database/index.ts'
import { type CountWindow, WindowCounts, type WindowSettings, type WindowStanding } from './window-counts.ts'

/** The counts are not written to the log of the database: after its crash every window starts anew. */
const rateTables: Migrations = {
  store: 'rates',
  steps: [
    `
  create unlogged table rate_window (
    id text collate "C" primary key,
    points bigint not null,
    ends_at timestamptz not null
  );
  `,
  ],
}

const DELETE_EVERY_MS = 600_000

/** Counts points of keys for all servers with one PostgreSQL database. */
export class SharedCounts {
  readonly #open: () => Promise<SharedDatabase>
  readonly #onFailure: (failure: unknown) => void
  #ready: Promise<SharedDatabase> | undefined
  #deletedAtMs = performance.now()

  /**
   * @param open - returns the database, which stays open.
   * @param onFailure - called when the database cannot be used; this server then counts alone.
   */
  constructor(open: () => Promise<SharedDatabase>, onFailure: (failure: unknown) => void) {
    this.#open = open
    this.#onFailure = onFailure
  }

  /**
   * Returns counts that all servers have in common.
   *
   * @param name - says what is counted, such as `wallet`. Counts with the same name are the same.
   */
  windows(name: string, settings: WindowSettings): CountWindow {
    const { points: limit, durationMs } = settings
    const own = new WindowCounts(settings)
    return {
      durationMs,
      count: async (key, points = 1) => {
        // What exceeds the limit by itself is refused without asking the database.
        const alone = own.count(key, points)
        if (alone.exceeded) return alone
        try {
          return await this.#count(`${name} ${limit} ${key}`, limit, durationMs, points)
        } catch (failure) {
          this.#onFailure(failure)
          return alone
        }
      },
    }
  }

  async #count(id: string, limit: number, durationMs: number, points: number): Promise<WindowStanding> {
    const database = await this.#prepared()
    const [row] = await database.write(
      sql => sql<{ points: number; left: number }[]>`
        insert into rate_window as counted
        values (${id}, ${points}, clock_timestamp() + ${durationMs}::float8 * interval '1 millisecond')
        on conflict (id) do update set
          points = excluded.points + case when counted.ends_at > clock_timestamp() then counted.points else 0 end,
          ends_at = case when counted.ends_at > clock_timestamp() then counted.ends_at else excluded.ends_at end
        returning points, extract(epoch from ends_at - clock_timestamp())::float8 as left`,
    )
    const { points: counted, left } = row as { points: number; left: number }
    return {
      limit,
      remaining: Math.max(0, limit - counted),
      resetSeconds: Math.max(1, Math.ceil(left)),
      exceeded: counted > limit,
    }
  }

  async #prepared(): Promise<SharedDatabase> {
    this.#ready ??= this.#prepare().catch((error: unknown) => {
      this.#ready = undefined
      throw error
    })
    const database = await this.#ready
    if (performance.now() - this.#deletedAtMs >= DELETE_EVERY_MS) {
      this.#deletedAtMs = performance.now()
      // No call waits for it.
      database.write(sql => sql`delete from rate_window where ends_at < clock_timestamp()`).catch(this.#onFailure)
    }
    return database
  }

  async #prepare(): Promise<SharedDatabase> {
    const database = await this.#open()
    await database.migrate(rateTables)
    return database
  }
}
