import PQueue from 'p-queue'

/** Runs the purchases of each agent one at a time, so that a repeated call waits for the first one. */
export class AgentTurns {
  readonly #running = new Map<string, PQueue>()

  /** True if a purchase of an agent runs. */
  isBusy(agent: string): boolean {
    return this.#running.has(agent)
  }

  /**
   * Runs a purchase when the earlier ones of its agent have ended.
   *
   * @param purchase - calls `answer` with its result, which may be before it ends.
   * @returns the result.
   * @throws what the purchase throws before it has a result.
   */
  async take<T>(agent: string, purchase: (answer: (result: T) => void) => Promise<void>): Promise<T> {
    const running = this.#running.get(agent) ?? new PQueue({ concurrency: 1 })
    this.#running.set(agent, running)
    const result = Promise.withResolvers<T>()
    const ended = running.add(() => purchase(result.resolve)).catch(result.reject)
    void ended.finally(() => {
      if (running.size === 0 && running.pending === 0) this.#running.delete(agent)
    })
    return await result.promise
  }
}
