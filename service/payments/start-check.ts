import { paymentsUnavailable } from './settler.ts'

/** Age at which a passed check runs again in the background. */
const GOOD_MS = 15_000
/** Age at which a failed check is retried. */
const RETRY_MS = 1_000

/**
 * A check that must pass before payments are offered. It runs on the first call, and again when its result is old. It never
 * runs twice at a time. A check that passed counts as passed while it runs again.
 */
export class StartCheck {
  readonly #check: () => Promise<void>
  readonly #now: () => number
  #running: Promise<void> | undefined
  #checkedAt = Number.NEGATIVE_INFINITY
  #failure: unknown
  #passed = false

  /** @param check - rejects with the reason if nobody can pay. */
  constructor(check: () => Promise<void>, now: () => number) {
    this.#check = check
    this.#now = now
  }

  /** @throws ServiceError payments_unavailable */
  async passed(): Promise<void> {
    const age = this.#now() - this.#checkedAt
    if (this.#passed) {
      if (age >= GOOD_MS) void this.#run()
      return
    }
    if (age >= RETRY_MS || this.#running) await this.#run()
    if (!this.#passed) throw paymentsUnavailable(this.#failure)
  }

  #run(): Promise<void> {
    this.#running ??= this.#once().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #once(): Promise<void> {
    try {
      await this.#check()
      this.#passed = true
    } catch (failure) {
      this.#failure = failure
      this.#passed = false
    }
    this.#checkedAt = this.#now()
  }
}
