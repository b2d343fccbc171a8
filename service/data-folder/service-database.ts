import { SharedDatabase } from '../../database/index.ts'
import { SharedCounts } from '../fair-shares/shared-counts.ts'
import type { CreateWindow } from '../fair-shares/window-counts.ts'

/** Settings of the connections. A statement that is blocked for longer fails, so that each call ends in bounded time. */
const settings = { application_name: 'asof serve', statement_timeout: '60s', lock_timeout: '20s' }

/** The PostgreSQL database in which several servers share accounts, payments and feedback. It is opened on first use. */
export class ServiceDatabase {
  readonly #url: string
  readonly #counts: SharedCounts
  #opened: Promise<SharedDatabase> | undefined

  /**
   * @param url - such as `postgres://user:password@host:5432/database`.
   * @param onNotice - called with lines for the operator. Default: a process warning.
   */
  constructor(url: string, onNotice: (line: string) => void = line => process.emitWarning(line)) {
    this.#url = url
    const notice = (failure: unknown) => onNotice(`rate limits are counted by this server alone: ${String(failure)}`)
    this.#counts = new SharedCounts(() => this.open(), notice)
  }

  /** Makes counts that all servers have in common. While the database cannot be used, this server counts alone. */
  readonly createWindow: CreateWindow = (name, window) => this.#counts.windows(name, window)

  /** @throws as {@link SharedDatabase.open} does; the next call tries again. */
  open(): Promise<SharedDatabase> {
    this.#opened ??= SharedDatabase.open(this.#url, { schema: 'asof_service', what: 'the service', settings }).catch(
      (error: unknown) => {
        this.#opened = undefined
        throw error
      },
    )
    return this.#opened
  }

  async close(): Promise<void> {
    await (await this.#opened)?.close()
  }
}
