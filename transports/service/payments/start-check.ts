import { paymentsUnavailable } from './settler.ts'

/** How long a passed check is good for, and how soon a failed one is tried again. */
const GOOD_MS = 15_000
const RETRY_MS = 1_000

/**
 * A check that must pass before anyone is asked to pay. It runs when it is first asked for, again when it has become old,
 * and never twice at a time; a check that passed goes on being believed while it is run again.
 */
export class StartCheck {
  readonly #check: () => Promise<void>
  readonly #now: () => number
  #running: Promise<void> | undefined
  #checkedAt = Number.NEGATIVE_INFINITY
  #failure: unknown
  #passed = false

  /** @param check - rejects with why nobody can pay. */
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
