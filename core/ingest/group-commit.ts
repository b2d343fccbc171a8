import type { Entry, Outcome } from './entry.ts'

/** Maximum number of captures, and of bytes of their bodies and postings, in one commit. */
export const BATCH_CAPTURES = 4096
export const BATCH_BYTES = 16 * 1024 * 1024

interface Waiting {
  entries: readonly Entry[]
  bytes: number
  resolve: (outcomes: Outcome[]) => void
  reject: (error: unknown) => void
}

/**
 * Group commit: units that arrive while a commit is being written go into the next one together, so that many small adds
 * cost few syncs. Units stay in order and are never split.
 */
export class GroupCommit {
  readonly #write: (entries: readonly Entry[]) => Promise<Outcome[]>
  #waiting: Waiting[] = []
  #running = false

  constructor(write: (entries: readonly Entry[]) => Promise<Outcome[]>) {
    this.#write = write
  }

  /** Resolves with the outcome of each entry once all are durable. */
  submit(entries: readonly Entry[], bytes: number): Promise<Outcome[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ entries, bytes, resolve, reject })
      if (!this.#running) void this.#run()
    })
  }

  async #run(): Promise<void> {
    this.#running = true
    while (this.#waiting.length > 0) {
      const group = this.#take()
      try {
        const outcomes = await this.#write(group.flatMap(unit => unit.entries))
        let at = 0
        for (const { entries, resolve } of group) {
          resolve(outcomes.slice(at, at + entries.length))
          at += entries.length
        }
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    this.#running = false
  }

  #take(): Waiting[] {
    let captures = 0
    let bytes = 0
    let count = 0
    for (const unit of this.#waiting) {
      captures += unit.entries.length
      bytes += unit.bytes
      if (count > 0 && (captures > BATCH_CAPTURES || bytes > BATCH_BYTES)) break
      count++
    }
    return this.#waiting.splice(0, count)
  }
}
