import type { Entry, Outcome } from './entry.ts'

/** Limits of one commit: number of captures, and bytes of their bodies and postings. */
export const COMMIT_CAPTURES = 4096
export const COMMIT_BYTES = 16 * 1024 * 1024

/** The entries of one call of {@link CommitQueue.submit}. */
interface Submission {
  entries: readonly Entry[]
  bytes: number
  resolve: (outcomes: Outcome[]) => void
  reject: (error: unknown) => void
}

/**
 * Joins submissions to commits. Those that arrive during a commit share the next one, so that many small adds need few
 * disk syncs ("group commit"). Submissions stay in order and are never split.
 */
export class CommitQueue {
  readonly #write: (entries: readonly Entry[]) => Promise<Outcome[]>
  #waiting: Submission[] = []
  #running = false

  constructor(write: (entries: readonly Entry[]) => Promise<Outcome[]>) {
    this.#write = write
  }

  /** Commits entries. Resolves with the outcome of each entry when all are durable. */
  submit(entries: readonly Entry[], bytes: number): Promise<Outcome[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ entries, bytes, resolve, reject })
      if (!this.#running) void this.#run()
    })
  }

  async #run(): Promise<void> {
    this.#running = true
    while (this.#waiting.length > 0) {
      const submissions = this.#take()
      try {
        const outcomes = await this.#write(submissions.flatMap(({ entries }) => entries))
        let at = 0
        for (const { entries, resolve } of submissions) {
          resolve(outcomes.slice(at, at + entries.length))
          at += entries.length
        }
      } catch (error) {
        for (const { reject } of submissions) reject(error)
      }
    }
    this.#running = false
  }

  #take(): Submission[] {
    let captures = 0
    let bytes = 0
    let count = 0
    for (const submission of this.#waiting) {
      captures += submission.entries.length
      bytes += submission.bytes
      if (count > 0 && (captures > COMMIT_CAPTURES || bytes > COMMIT_BYTES)) break
      count++
    }
    return this.#waiting.splice(0, count)
  }
}
