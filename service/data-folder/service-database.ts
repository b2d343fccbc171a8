import { SharedDatabase } from '../../database/index.ts'

/** Settings of the connections. A statement that is blocked for longer fails, so that each call ends in bounded time. */
const settings = { application_name: 'asof serve', statement_timeout: '60s', lock_timeout: '20s' }

/** The PostgreSQL database in which several servers share accounts, payments and feedback. It is opened on first use. */
export class ServiceDatabase {
  readonly #url: string
  #opened: Promise<SharedDatabase> | undefined

  /** @param url - such as `postgres://user:password@host:5432/database`. */
  constructor(url: string) {
    this.#url = url
  }

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
