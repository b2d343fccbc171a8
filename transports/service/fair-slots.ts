import { ServiceError } from './errors.ts'

export interface SlotLimits {
  total: number
  perClient: number
}

/** Lets a limited number of works of one kind run at a time, and of those no more than a share for one client. */
export class FairSlots {
  readonly #limits: SlotLimits
  readonly #busy: string
  #running = 0
  readonly #ofClient = new Map<string, number>()

  /** @param busy - what is being done, as a refusal says it: "pages are being fetched live". */
  constructor(limits: SlotLimits, busy: string) {
    this.#limits = limits
    this.#busy = busy
  }

  /**
   * Runs work in a slot, without waiting for one.
   *
   * @param client - whose share it counts towards: an address, network or organisation. Without one only the total holds.
   * @throws ServiceError overloaded - all slots are taken, or the client's share of them.
   */
  async run<T>(client: string | undefined, work: () => Promise<T>): Promise<T> {
    const { total, perClient } = this.#limits
    if (this.#running >= total) throw refusal(`Too many ${this.#busy} right now.`)
    const own = client === undefined ? 0 : (this.#ofClient.get(client) ?? 0)
    if (own >= perClient) throw refusal(`Too many ${this.#busy} for you right now; ${perClient} at a time may be.`)
    this.#running += 1
    if (client !== undefined) this.#ofClient.set(client, own + 1)
    try {
      return await work()
    } finally {
      this.#running -= 1
      if (client !== undefined) this.#leave(client)
    }
  }

  #leave(client: string): void {
    const left = this.#ofClient.get(client)! - 1
    if (left === 0) this.#ofClient.delete(client)
    else this.#ofClient.set(client, left)
  }
}

function refusal(message: string): ServiceError {
  return new ServiceError('overloaded', message, { retryAfterSeconds: 1 })
}
