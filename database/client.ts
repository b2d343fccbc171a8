import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadOptional, type OptionalPackages } from '@asof/extract/errors'
import { arrayTypes } from './array-types.ts'
import type { SqlClient, Transaction } from './queries.ts'
import { transact } from './transact.ts'

/** Maximum time that a statement waits for a lock, ms. */
const LOCK_MS = 50_000
/**
 * Time after which a transaction whose client sends nothing is rolled back, ms. So a process that hangs or is cut off does not delay others for
 * longer.
 */
const IDLE_IN_TRANSACTION_MS = 45_000
/** Time after which a connection that has received nothing is closed, ms. It is longer than a statement waits for a lock. */
const SILENCE_MS = 60_000
const SILENCE_CHECK_MS = 5_000
const CONNECT_SECONDS = 10
const CONNECTIONS = 10
/** Time that the statements of a pool have to end after the pool lost a connection, s. */
const RETIRE_SECONDS = 10
/** Minimum time that a pool which never reached PostgreSQL is kept, ms, so that calls in a loop do not make thousands of pools. */
const MIN_POOL_MS = 1_000

/** Options of {@link DatabaseClient.open}. */
export interface PoolOptions {
  /** The schema in which PostgreSQL looks up names that are written without a schema. */
  schema: string
  /** The packages to install if the client is missing. */
  packages: OptionalPackages
  /** Maximum number of connections. Default 10. */
  connections?: number
  /** Settings of PostgreSQL for each connection. */
  settings?: Readonly<Record<string, string>>
}

interface Pool {
  sql: SqlClient
  /** Epoch ms. */
  openedAt: number
  /** True once PostgreSQL has answered. */
  isReached: boolean
  /** The transactions that are running. */
  transactions: Set<Promise<unknown>>
}

/**
 * Connections to PostgreSQL. No call waits forever: a statement that PostgreSQL does not answer within a minute fails.
 *
 * A pool of the package `postgres` 3.4.9 may never send anything again over a connection that was lost (porsager/postgres#1209), so whenever one
 * is lost, all calls from then on use a new pool.
 */
export class DatabaseClient {
  /** Runs statements. A caller may keep it, because each call uses the pool that is current at the time of the call. */
  readonly sql: SqlClient
  readonly #postgres: typeof import('postgres')
  readonly #url: string
  readonly #options: PoolOptions
  #pool: Pool
  /** The pools that lost a connection, until their statements have ended. */
  readonly #retired = new Set<Pool>()
  readonly #watch = new SilenceWatch()
  #isClosed = false

  private constructor(postgres: typeof import('postgres'), url: string, options: PoolOptions) {
    this.#postgres = postgres
    this.#url = url
    this.#options = options
    this.#pool = this.#connect()
    this.sql = new Proxy(this.#pool.sql, {
      apply: (_, self, words) => Reflect.apply(this.#pool.sql, self, words),
      get: (_, key) => Reflect.get(this.#pool.sql, key),
    })
  }

  /** Makes a client, which connects when it is first used. @throws ASOF_PACKAGE_MISSING */
  static async open(url: string, options: PoolOptions): Promise<DatabaseClient> {
    const { default: postgres } = await loadOptional(options.packages, () => import('postgres'))
    return new DatabaseClient(postgres, url, options)
  }

  /** Runs work in a transaction. @param mode - such as `isolation level repeatable read`. */
  async transaction<T>(work: (tx: Transaction) => Promise<T>, mode?: string): Promise<T> {
    const { sql, transactions } = this.#pool
    const running = transact(sql, work, mode)
    transactions.add(running)
    try {
      return await running
    } finally {
      transactions.delete(running)
    }
  }

  /** Waits up to 5 s for statements that are running, then disconnects. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([this.#pool, ...this.#retired].map(({ sql }) => sql.end({ timeout: 5 })))
    this.#watch.stop()
  }

  #connect(): Pool {
    const { schema, connections = CONNECTIONS, settings } = this.#options
    const sql = this.#postgres(this.#url, {
      max: connections,
      connect_timeout: CONNECT_SECONDS,
      // The pool closes no connection for its age or because it is idle. So one that closes, and that the watch did not close, was lost.
      idle_timeout: 0,
      max_lifetime: null,
      onnotice: () => {},
      // Instants and counts are whole numbers below 2^53.
      types: { bigint: { to: 20, from: [20], parse: Number, serialize: String }, ...arrayTypes },
      fetch_types: false,
      connection: {
        application_name: 'asof',
        search_path: `"${schema}"`,
        lock_timeout: LOCK_MS,
        idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
        ...settings,
      },
      onparameter: () => {
        pool.isReached = true
      },
      onclose: () => {
        if (this.#watch.closed > 0) this.#watch.closed--
        else this.#replace(pool)
      },
      ...this.#watch.socketOption(),
    })
    const pool: Pool = { sql, openedAt: Date.now(), isReached: false, transactions: new Set() }
    return pool
  }

  /** Makes later calls use a new pool. @param lost - the pool that lost a connection. */
  #replace(lost: Pool): void {
    if (this.#isClosed || lost !== this.#pool) return
    if (!lost.isReached && Date.now() - lost.openedAt < MIN_POOL_MS) return
    this.#pool = this.#connect()
    this.#retired.add(lost)
    void this.#retire(lost).finally(() => this.#retired.delete(lost))
  }

  /**
   * Ends a pool when its transactions have ended. Its statements get the first half of {@link RETIRE_SECONDS} to be sent and the second half to
   * finish. One that still waits for a connection when the pool ends fails.
   */
  async #retire({ sql, transactions }: Pool): Promise<void> {
    // Statements that wait for a connection get some time first, because a pool that is ending begins none of them.
    await sleep(RETIRE_SECONDS * 500, undefined, { ref: false })
    while (transactions.size > 0) await Promise.allSettled(transactions)
    await sql.end({ timeout: RETIRE_SECONDS / 2 })
  }
}

/** Closes connections that have received nothing for a while: idle ones, and those whose PostgreSQL cannot be reached. */
class SilenceWatch {
  /** Number of connections that the watch has closed, and whose end the pool has not reported yet. */
  closed = 0
  readonly #sockets = new Map<net.Socket, { read: number; since: number }>()
  readonly #timer = setInterval(() => this.#check(), SILENCE_CHECK_MS).unref()

  /** The option `socket` of the package, which its types lack. */
  socketOption(): object {
    let attempts = 0
    return {
      socket: ({ host, port, path }: { host: string[]; port: number[]; path?: string }) => {
        const at = attempts++ % host.length
        const socket = path ? net.connect(path) : net.connect(Number(port[at]), host[at])
        socket.setNoDelay(true)
        this.#sockets.set(socket, { read: 0, since: Date.now() })
        return socket
      },
    }
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #check(): void {
    const now = Date.now()
    for (const [socket, { read, since }] of this.#sockets) {
      if (socket.destroyed) this.#sockets.delete(socket)
      else if (socket.bytesRead !== read) this.#sockets.set(socket, { read: socket.bytesRead, since: now })
      else if (now - since >= SILENCE_MS) {
        this.closed++
        const error = new Error(`PostgreSQL has not answered for ${SILENCE_MS / 1000} s`)
        // With TLS the package listens to errors of another socket only, and an error without a listener ends the process.
        socket.on('error', () => {})
        socket.destroy(Object.assign(error, { code: 'ETIMEDOUT', errno: 'ETIMEDOUT' }))
      }
    }
  }
}
