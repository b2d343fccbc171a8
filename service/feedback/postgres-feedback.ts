import { createHash, randomUUID } from 'node:crypto'
import { only, type SharedDatabase } from '../../database/index.ts'
import type { FeedbackSubmission } from '../calls/feedback-journal.ts'
import { type CurrentSubmission, feedbackKeys } from './feedback-record.ts'
import { type FeedbackStore, REFETCH_INTERVAL_MS } from './feedback-store.ts'
import { feedbackTables } from './feedback-tables.ts'

/** Number of submissions that are read at a time. */
const PAGE = 500
/** How long a server has a page to fetch again, if it does not say that it has fetched it. */
const TAKEN_MINUTES = 10

interface SubmissionRow {
  sequence: number
  submission: FeedbackSubmission
}

/** The feedback in a PostgreSQL database, which several servers share. */
export class PostgresFeedback implements FeedbackStore {
  readonly #database: SharedDatabase
  /** This server, as the taker of pages to fetch again. */
  readonly #id = randomUUID()

  private constructor(database: SharedDatabase) {
    this.#database = database
  }

  /**
   * Creates or upgrades the tables. The database stays open when the store is closed.
   *
   * @throws ASOF_STORE_WRITE | ASOF_STORE_FORMAT
   */
  static async open(database: SharedDatabase): Promise<PostgresFeedback> {
    await database.migrate(feedbackTables)
    return new PostgresFeedback(database)
  }

  /** @throws ASOF_STORE_WRITE */
  record(submission: FeedbackSubmission, refetch: readonly string[]): Promise<{ refetches: number }> {
    const { at, organization, query, judgments } = submission
    const latest =
      query === undefined ? [] : judgments.map(({ url }) => feedbackKeys.latest({ organization, query }, url))
    // All servers lock rows in one order, so that they do not wait for each other in a circle.
    const ids = [...new Set(latest)].sort()
    const urls = [...new Map(refetch.map(url => [pageId(url), url]))].sort(([a], [b]) => (a < b ? -1 : 1))
    return this.#database.transaction(async tx => {
      const { sequence } = only(
        await tx<{ sequence: number }[]>`
          insert into feedback (submission) values (${JSON.stringify(submission)}::text::json) returning sequence`,
      )
      await tx`
        insert into feedback_latest select id, ${sequence} from unnest(${ids}::text[]) as id
        on conflict (id) do update set sequence = greatest(feedback_latest.sequence, excluded.sequence)`
      const due = await tx`
        insert into feedback_refetch (id, url, wanted_at)
        select id, url, ${at} from unnest(${urls.map(([id]) => id)}::uuid[], ${urls.map(([, url]) => url)}::text[]) as page (id, url)
        on conflict (id) do update set wanted_at = excluded.wanted_at
        where feedback_refetch.fetched_at is null or ${at}::bigint - feedback_refetch.fetched_at >= ${REFETCH_INTERVAL_MS}
        returning id`
      return { refetches: due.length }
    })
  }

  async *current(): AsyncGenerator<CurrentSubmission, void, undefined> {
    for (let after = -1; ; ) {
      const { rows, latest } = await this.#page(after)
      for (const { sequence, submission } of rows) {
        const judgments = submission.judgments.filter(({ url }) => {
          const id = latestId(submission, url)
          return id === undefined || latest.get(id) === sequence
        })
        yield { ...submission, judgments, sequence }
      }
      const last = rows.at(-1)
      if (last === undefined || rows.length < PAGE) return
      after = last.sequence
    }
  }

  /** Reads submissions, and which are the latest of their judgments, as of one instant: later ones are on later pages. */
  #page(after: number): Promise<{ rows: readonly SubmissionRow[]; latest: ReadonlyMap<string, number> }> {
    return this.#database.reading(async tx => {
      const rows = await tx<SubmissionRow[]>`
        select sequence, submission from feedback where sequence > ${after} order by sequence limit ${PAGE}`
      const ids = rows.flatMap(({ submission }) =>
        submission.judgments.flatMap(({ url }) => latestId(submission, url) ?? []),
      )
      const latest = await tx<{ id: string; sequence: number }[]>`
        select id, sequence from feedback_latest where id = any(${[...new Set(ids)]}::text[])`
      return { rows, latest: new Map(latest.map(({ id, sequence }) => [id, sequence])) }
    })
  }

  async refetches(limit: number): Promise<string[]> {
    const taken = await this.#database.write(
      sql => sql<{ url: string }[]>`
        with free as (
          select id from feedback_refetch
          where wanted_at is not null and (taker is null or taker = ${this.#id} or taken_until < clock_timestamp())
          order by wanted_at limit ${limit} for update skip locked
        )
        update feedback_refetch as page
        set taker = ${this.#id}, taken_until = clock_timestamp() + ${TAKEN_MINUTES} * interval '1 minute'
        from free where page.id = free.id returning page.url`,
    )
    return taken.map(({ url }) => url)
  }

  async settleRefetches(urls: readonly string[], at: number): Promise<void> {
    await this.#database.write(
      sql => sql`
        update feedback_refetch set wanted_at = null, taker = null, taken_until = null, fetched_at = ${at}
        where id = any(${urls.map(pageId)}::uuid[])`,
    )
  }

  async close(): Promise<void> {
    // Others may fetch at once what this server did not.
    await this.#database.write(
      sql => sql`update feedback_refetch set taker = null, taken_until = null where taker = ${this.#id}`,
    )
  }
}

function latestId({ organization, query }: FeedbackSubmission, url: string): string | undefined {
  return query === undefined ? undefined : feedbackKeys.latest({ organization, query }, url)
}

function pageId(url: string): string {
  return createHash('sha256').update(url).digest('hex').slice(0, 32)
}
