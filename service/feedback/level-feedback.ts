import { chmod, mkdir } from 'node:fs/promises'
import { AsofError } from '@asof/core'
import type { ClassicLevel } from 'classic-level'
import PQueue from 'p-queue'
import type { FeedbackSubmission } from '../calls/feedback-journal.ts'
import { openRecordDatabase } from '../records/database.ts'
import { type CurrentSubmission, FEEDBACK_FORMAT, feedbackKeys as keys } from './feedback-record.ts'
import { type FeedbackStore, REFETCH_INTERVAL_MS } from './feedback-store.ts'

type Write = { type: 'put'; key: string; value: unknown } | { type: 'del'; key: string }

/** Number of entries copied at a time. */
const COPY_BATCH = 1000

/**
 * The feedback in a LevelDB of its own, for one process. A submission and all its effects are one atomic, synced write, so it
 * survives `kill -9` once it is acknowledged.
 */
export class LevelFeedback implements FeedbackStore {
  readonly #db: ClassicLevel<string, unknown>
  #sequence: number
  /** Runs one change at a time, because each reads the result of the one before. */
  readonly #changes = new PQueue({ concurrency: 1 })

  private constructor(db: ClassicLevel<string, unknown>, sequence: number) {
    this.#db = db
    this.#sequence = sequence
  }

  /**
   * Opens the store in a folder. Creates the folder if necessary.
   *
   * @throws ASOF_STORE_LOCKED - another process has it open.
   * @throws ASOF_STORE_FORMAT | ASOF_STORE_READ
   */
  static async open(dir: string): Promise<LevelFeedback> {
    await makePrivate(dir)
    const db = await openRecordDatabase<unknown>(dir, 'the feedback', { valueEncoding: 'json' })
    const format = await db.get(keys.format)
    if (format === undefined) await db.put(keys.format, FEEDBACK_FORMAT)
    else if (Number(format) > FEEDBACK_FORMAT) {
      await db.close()
      throw new AsofError('ASOF_STORE_FORMAT', `${dir} was written by a newer version (feedback format ${format})`)
    }
    const [last] = await db.keys({ ...keys.submissions, reverse: true, limit: 1 }).all()
    return new LevelFeedback(db, last === undefined ? 0 : keys.sequenceOf(last) + 1)
  }

  /**
   * Stores a submission, and the pages to fetch again, except those that were fetched again in the last 24 hours.
   *
   * @throws ASOF_STORE_WRITE - nothing was stored.
   */
  record(submission: FeedbackSubmission, refetch: readonly string[]): Promise<{ refetches: number }> {
    return this.#changes.add(async () => {
      const { at, organization, query, judgments } = submission
      const sequence = this.#sequence
      const operations: Write[] = [{ type: 'put', key: keys.submission(sequence), value: submission }]
      if (query !== undefined) {
        for (const { url } of judgments)
          operations.push({ type: 'put', key: keys.latest({ organization, query }, url), value: sequence })
      }
      const urls = [...new Set(refetch)]
      const refetched = await this.#db.getMany(urls.map(keys.refetched))
      const due = urls.filter((_, i) => refetched[i] === undefined || at - Number(refetched[i]) >= REFETCH_INTERVAL_MS)
      for (const url of due) operations.push({ type: 'put', key: keys.refetch(url), value: at })
      await this.#write(operations)
      this.#sequence += 1
      return { refetches: due.length }
    })
  }

  async *current(): AsyncGenerator<CurrentSubmission, void, undefined> {
    for await (const [key, value] of this.#db.iterator(keys.submissions)) {
      const submission = value as FeedbackSubmission
      const { organization, query } = submission
      const sequence = keys.sequenceOf(key)
      if (query === undefined) {
        yield { ...submission, sequence }
        continue
      }
      const latest = await this.#db.getMany(
        submission.judgments.map(({ url }) => keys.latest({ organization, query }, url)),
      )
      const judgments = submission.judgments.filter((_, i) => latest[i] === sequence)
      yield { ...submission, judgments, sequence }
    }
  }

  async refetches(limit: number): Promise<string[]> {
    const found = await this.#db.keys({ ...keys.refetches, limit }).all()
    return found.map(keys.urlOfRefetch)
  }

  async settleRefetches(urls: readonly string[], at: number): Promise<void> {
    await this.#changes.add(() =>
      this.#write(
        urls.flatMap((url): Write[] => [
          { type: 'del', key: keys.refetch(url) },
          { type: 'put', key: keys.refetched(url), value: at },
        ]),
      ),
    )
  }

  /** Copies a snapshot of the store to a new folder. */
  async copyTo(dir: string): Promise<void> {
    await makePrivate(dir)
    const target = await openRecordDatabase<unknown>(dir, 'the feedback', { valueEncoding: 'json' })
    try {
      // An iterator reads a snapshot of the database.
      const iterator = this.#db.iterator()
      try {
        let entries = await iterator.nextv(COPY_BATCH)
        for (; entries.length > 0; entries = await iterator.nextv(COPY_BATCH))
          await target.batch(entries.map(([key, value]) => ({ type: 'put', key, value })))
      } finally {
        await iterator.close()
      }
    } finally {
      await target.close()
    }
  }

  async close(): Promise<void> {
    await this.#changes.add(() => this.#db.close())
  }

  async #write(operations: Write[]): Promise<void> {
    try {
      await this.#db.batch(operations, { sync: true })
    } catch (cause) {
      throw new AsofError('ASOF_STORE_WRITE', 'the feedback could not be written', { cause })
    }
  }
}

/** Creates a folder that only this user can read, or restricts an existing one, because it contains queries. */
async function makePrivate(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  await chmod(dir, 0o700)
}
