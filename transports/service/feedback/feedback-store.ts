import { chmod, mkdir } from 'node:fs/promises'
import { AsofError } from '@asof/core'
import type { ClassicLevel } from 'classic-level'
import PQueue from 'p-queue'
import type { FeedbackJournal, FeedbackSubmission } from '../index.ts'
import { openDatabase } from '../records/database.ts'
import { type CurrentSubmission, FEEDBACK_FORMAT, feedbackKeys as keys } from './feedback-record.ts'

type Operation = { type: 'put'; key: string; value: unknown } | { type: 'del'; key: string }

/** A page that was fetched again rests so long before it is once more. */
const REFETCH_REST_MS = 24 * 60 * 60 * 1000
/** Entries copied at a time. */
const COPY_BATCH = 1000

/**
 * All feedback ever given, and the pages to be fetched again because of it, in a LevelDB of its own. Submissions are only
 * ever added. Each is one atomic, synced write with what follows from it, so that what was acknowledged survives
 * `kill -9`. Memory does not grow with what is kept.
 */
export class FeedbackStore implements FeedbackJournal {
  readonly #db: ClassicLevel<string, unknown>
  #sequence: number
  /** Runs one change at a time, because each reads what the previous one wrote. */
  readonly #changes = new PQueue({ concurrency: 1 })

  private constructor(db: ClassicLevel<string, unknown>, sequence: number) {
    this.#db = db
    this.#sequence = sequence
  }

  /**
   * Opens the store in a folder, which is created.
   *
   * @throws ASOF_STORE_LOCKED - another process holds it.
   * @throws ASOF_STORE_NEWER | ASOF_STORE_READ
   */
  static async open(dir: string): Promise<FeedbackStore> {
    await makePrivate(dir)
    const db = await openDatabase<unknown>(dir, 'the feedback', 'json')
    const format = await db.get(keys.format)
    if (format === undefined) await db.put(keys.format, FEEDBACK_FORMAT)
    else if (Number(format) > FEEDBACK_FORMAT) {
      await db.close()
      throw new AsofError('ASOF_STORE_NEWER', `${dir} was written by a newer version (feedback format ${format})`)
    }
    const [last] = await db.keys({ ...keys.submissions, reverse: true, limit: 1 }).all()
    return new FeedbackStore(db, last === undefined ? 0 : keys.sequenceOf(last) + 1)
  }

  /**
   * Keeps a submission, and pages to be fetched again: not those that were within a day.
   *
   * @throws ASOF_STORE_WRITE - nothing of it was kept.
   */
  record(submission: FeedbackSubmission, refetch: readonly string[]): Promise<{ refetches: number }> {
    return this.#changes.add(async () => {
      const { at, organisation, query, judgements } = submission
      const sequence = this.#sequence
      const operations: Operation[] = [{ type: 'put', key: keys.submission(sequence), value: submission }]
      if (query !== undefined) {
        for (const { url } of judgements)
          operations.push({ type: 'put', key: keys.latest({ organisation, query }, url), value: sequence })
      }
      const urls = [...new Set(refetch)]
      const rested = await this.#db.getMany(urls.map(keys.refetched))
      const due = urls.filter((_, i) => rested[i] === undefined || at - Number(rested[i]) >= REFETCH_REST_MS)
      for (const url of due) operations.push({ type: 'put', key: keys.refetch(url), value: at })
      await this.#write(operations)
      this.#sequence += 1
      return { refetches: due.length }
    })
  }

  /** Every submission in the order in which they came, without the judgements that later ones replaced. */
  async *current(): AsyncGenerator<CurrentSubmission, void, undefined> {
    for await (const [key, value] of this.#db.iterator(keys.submissions)) {
      const submission = value as FeedbackSubmission
      const { organisation, query } = submission
      const sequence = keys.sequenceOf(key)
      if (query === undefined) {
        yield { ...submission, sequence }
        continue
      }
      const latest = await this.#db.getMany(
        submission.judgements.map(({ url }) => keys.latest({ organisation, query }, url)),
      )
      const judgements = submission.judgements.filter((_, i) => latest[i] === sequence)
      yield { ...submission, judgements, sequence }
    }
  }

  /** Pages to be fetched again, no more than `limit`. */
  async refetches(limit: number): Promise<string[]> {
    const found = await this.#db.keys({ ...keys.refetches, limit }).all()
    return found.map(keys.urlOfRefetch)
  }

  /**
   * Takes pages off the list of those to be fetched again.
   *
   * @throws ASOF_STORE_WRITE
   */
  async settleRefetches(urls: readonly string[], at: number): Promise<void> {
    await this.#changes.add(() =>
      this.#write(
        urls.flatMap((url): Operation[] => [
          { type: 'del', key: keys.refetch(url) },
          { type: 'put', key: keys.refetched(url), value: at },
        ]),
      ),
    )
  }

  /** Copies everything, as of now, into a store in a folder that has none. */
  async copyTo(dir: string): Promise<void> {
    await makePrivate(dir)
    const made = await openDatabase<unknown>(dir, 'the feedback', 'json')
    try {
      // An iterator sees one state of the database, whatever is written meanwhile.
      const iterator = this.#db.iterator()
      try {
        for (let some = await iterator.nextv(COPY_BATCH); some.length > 0; some = await iterator.nextv(COPY_BATCH))
          await made.batch(some.map(([key, value]) => ({ type: 'put', key, value })))
      } finally {
        await iterator.close()
      }
    } finally {
      await made.close()
    }
  }

  async close(): Promise<void> {
    await this.#changes.add(() => this.#db.close())
  }

  async #write(operations: Operation[]): Promise<void> {
    try {
      await this.#db.batch(operations, { sync: true })
    } catch (cause) {
      throw new AsofError('ASOF_STORE_WRITE', 'the feedback could not be written', { cause })
    }
  }
}

/** Makes a folder for this user alone. One that is there, perhaps open to others, becomes so: it holds what people asked. */
async function makePrivate(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  await chmod(dir, 0o700)
}
