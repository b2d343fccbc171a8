import { createHash } from 'node:crypto'
import type { FeedbackJournal, FeedbackSubmission } from '../calls/feedback-journal.ts'
import { pagesOf, type RecordChange, type RecordLocks, type RecordStore, type RecordTable } from '../records/records.ts'

/** Minimum time between two re-fetches of one page. */
const REFETCH_INTERVAL_MS = 24 * 60 * 60 * 1000
/** Number of submissions that are read at a time. */
const PAGE = 500

/** A submission with only those of its judgments that no later submission has replaced. */
export interface CurrentSubmission extends FeedbackSubmission {
  /** The place of the submission in the order of arrival. */
  sequence: number
}

const submissions: RecordTable<CurrentSubmission, never> = {
  name: 'feedback',
  id: ({ sequence }) => [sequence],
  keys: {},
}

/** The sequence of the next submission. Changes that store submissions wait for each other here, so that they end in the order of arrival. */
const arrivals: RecordTable<{ next: number }, never> = { name: 'feedback_arrival', id: () => ['next'], keys: {} }

/** The submission with the latest judgment of an organization on a page for a query, see {@link judgedIn}. */
const latest: RecordTable<{ judged: string; sequence: number }, never> = {
  name: 'feedback_latest',
  id: ({ judged }) => [judged],
  keys: {},
}

interface RefetchPage {
  url: string
  /** When the page was last judged as not loaded, if it is still to be fetched again; epoch ms. */
  wantedAt?: number
  /** When the page was last fetched again, epoch ms. */
  fetchedAt?: number
}

const pages: RecordTable<RefetchPage, 'wanted'> = {
  name: 'feedback_refetch',
  id: ({ url }) => idOf(url),
  keys: { wanted: ({ wantedAt }) => (wantedAt === undefined ? undefined : [wantedAt]) },
}

async function nextSequence(change: RecordChange): Promise<number> {
  const arrival = await change.find(arrivals, ['next'])
  if (arrival) return arrival.next
  await change.add(arrivals, { next: 0 })
  // Another server may have added it first, and changed it since.
  return (await change.find(arrivals, ['next']))?.next ?? 0
}

/** A query or a URL can be too long for an id. */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function idOf(url: string): [string] {
  return [hashOf(url)]
}

/** Returns what a submission judges, in the order of its judgments. Without a query there is no telling what a later judgment replaces. */
function judgedIn({ organization, query, judgments }: FeedbackSubmission): string[] {
  return query === undefined ? [] : judgments.map(({ url }) => hashOf(JSON.stringify([organization, query, url])))
}

/**
 * All feedback, and the pages to fetch again because of it. Submissions are never changed or deleted. A submission and all its effects
 * are stored together, before `record` resolves. Memory does not grow with the number of submissions.
 */
export class FeedbackStore implements FeedbackJournal {
  readonly #records: RecordStore
  /** The pages that servers are fetching again. */
  readonly #locks: RecordLocks

  private constructor(records: RecordStore, locks: RecordLocks) {
    this.#records = records
    this.#locks = locks
  }

  /** Opens the feedback in some records, which are closed with it. @throws ASOF_STORE_WRITE | ASOF_STORE_FORMAT */
  static async open(records: RecordStore): Promise<FeedbackStore> {
    await records.define('feedback', [submissions, arrivals, latest, pages])
    return new FeedbackStore(records, await records.locks('refetch'))
  }

  /**
   * Stores a submission, and the pages to fetch again, except those that were fetched again in the last 24 hours.
   *
   * @throws ASOF_STORE_WRITE - nothing was stored.
   */
  record(submission: FeedbackSubmission, refetch: readonly string[]): Promise<{ refetches: number }> {
    const { at } = submission
    const judged = [...new Set(judgedIn(submission))]
    const urls = [...new Set(refetch)]
    return this.#records.change(async change => {
      const sequence = await nextSequence(change)
      const known = new Map((await change.findAll(pages, urls.map(idOf))).map(page => [page.url, page]))
      const due = urls
        .map(url => known.get(url) ?? { url })
        .filter(({ fetchedAt }) => fetchedAt === undefined || at - fetchedAt >= REFETCH_INTERVAL_MS)
      await Promise.all([
        change.put(arrivals, { next: sequence + 1 }),
        change.put(submissions, { ...submission, sequence }),
        change.put(latest, ...judged.map(id => ({ judged: id, sequence }))),
        change.put(pages, ...due.map(page => ({ ...page, wantedAt: at }))),
      ])
      return { refetches: due.length }
    })
  }

  /** Yields all submissions in order of arrival, without judgments that later submissions replaced. */
  async *current(): AsyncGenerator<CurrentSubmission, void, undefined> {
    for await (const page of pagesOf(this.#records, submissions, { limit: PAGE })) {
      const judged = [...new Set(page.flatMap(judgedIn))]
      // A submission that came after the page was read may be the latest; it is on a later page.
      const found = await this.#records.findAll(
        latest,
        judged.map(id => [id]),
      )
      const latestOf = new Map(found.map(({ judged, sequence }) => [judged, sequence]))
      for (const submission of page) {
        const ids = judgedIn(submission)
        const judgments = submission.judgments.filter((_, i) => {
          const id = ids[i]
          return id === undefined || latestOf.get(id) === submission.sequence
        })
        yield { ...submission, judgments }
      }
    }
  }

  /** Returns at most `limit` pages to fetch again. No two servers get the same page, while the one that has it is alive. */
  async refetches(limit: number): Promise<string[]> {
    const taken: string[] = []
    for await (const listed of pagesOf(this.#records, pages, { by: 'wanted', limit })) {
      for (const { url } of listed) {
        if (taken.length === limit) return taken
        if (await this.#take(url)) taken.push(url)
      }
    }
    return taken
  }

  async #take(url: string): Promise<boolean> {
    const [id] = idOf(url)
    if (await this.#locks.isLockedHere(id)) return true
    if (!(await this.#locks.lock(id))) return false
    // Another server may have fetched it since it was listed.
    if ((await this.#records.find(pages, [id]))?.wantedAt !== undefined) return true
    await this.#locks.unlock(id)
    return false
  }

  /**
   * Removes pages from the list of those to fetch again, and records when they were fetched.
   *
   * @param at - epoch ms.
   * @throws ASOF_STORE_WRITE
   */
  async settleRefetches(urls: readonly string[], at: number): Promise<void> {
    await this.#records.change(change => change.put(pages, ...[...new Set(urls)].map(url => ({ url, fetchedAt: at }))))
    await Promise.all(urls.map(url => this.#locks.unlock(idOf(url)[0])))
  }

  /** Copies the feedback to a new folder, unless it is in a database. */
  async copyTo(dir: string): Promise<void> {
    const snapshot = this.#records.snapshot()
    try {
      await snapshot?.copyTo(dir)
    } finally {
      await snapshot?.close()
    }
  }

  close(): Promise<void> {
    return this.#records.close()
  }
}
