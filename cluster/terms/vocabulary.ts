import { fieldOfTerm, type PartChange, predicateOf, type TermPattern } from '@asof/core/internal'
import { LATEST_AT } from '@asof/extract/timestamp'
import { type Queries, ROWS_AT_ONCE } from '../queries.ts'
import { type ClusterDatabase, type ClusterState, lockedState } from '../stored/database.ts'
import { packed } from '../stored/packed-bytes.ts'
import { statisticsUpTo } from '../stored/statistics.ts'
import { KnownTerms } from './known-terms.ts'
import type { TermIndices } from './term-indices.ts'
import { hasTerm, NEVER } from './term-queries.ts'

/** Length of the longest term in the vocabulary, bytes. Words are much shorter, and an index of PostgreSQL accepts up to 2,704 bytes. */
const LONGEST_BYTES = 2_000
/** Maximum number of recent terms that a server remembers, so that it does not write them again. It remembers as many older ones. */
const MAX_REMEMBERED = 300_000
/** Number of terms that one request looks up. */
const TERMS_AT_ONCE = 500
/** Number of terms that one statement reads. */
const ROWS_READ = 5_000

/** The terms that a change adds to captures or deletes with them. */
export interface TermUse {
  /** The terms of new captures. */
  added: PartChange['addedTerms']
  /** The terms of captures that were deleted. */
  deleted: ReadonlySet<string>
}

/**
 * The terms of all captures except values of fields, in the order of their bytes, each with the first instant at which a capture had it. After
 * captures were deleted, an instant may be too early, and the captures with a term may all be superseded. So a search that needs to know whether
 * a capture that stood has a term counts the captures.
 */
export class Vocabulary {
  readonly #database: ClusterDatabase
  readonly #terms: TermIndices
  /** Terms that are in the table, with their instants. Cleared when terms were deleted from the table. */
  #remembered = new KnownTerms()
  /** Terms that were remembered earlier. Those that occur again move to {@link #remembered}. */
  #older = new KnownTerms()
  #forgotten = -1

  constructor(database: ClusterDatabase, terms: TermIndices) {
    this.#database = database
    this.#terms = terms
  }

  /**
   * Writes the terms of a change to the table, in the transaction of the change.
   *
   * @returns a function to call when the transaction is committed: it remembers the terms.
   */
  async note(tx: Queries, { added, deleted }: TermUse, { forgotten }: ClusterState): Promise<() => void> {
    if (this.#forgotten !== forgotten || this.#remembered.size > MAX_REMEMBERED) {
      this.#older = this.#forgotten === forgotten ? this.#remembered : new KnownTerms()
      this.#remembered = new KnownTerms()
    }
    this.#forgotten = forgotten
    const [remembered, older] = [this.#remembered, this.#older]
    const isKnown = (term: string, at: number): boolean => {
      if (remembered.get(term) <= at) return true
      const olderAt = older.get(term)
      if (olderAt > at) return false
      remembered.set(term, olderAt)
      return true
    }
    const unknown = new Map<string, number>()
    for (const { terms, firstAt } of added)
      for (const [t, term] of terms.entries()) {
        const at = firstAt[t]!
        // An infinite instant is that of a term whose capture is not written.
        if (at === Number.POSITIVE_INFINITY || isKnown(term, at) || !isInVocabulary(term)) continue
        if (at < (unknown.get(term) ?? Number.POSITIVE_INFINITY)) unknown.set(term, at)
      }
    const rows = [...unknown]
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
      const some = rows.slice(from, from + ROWS_AT_ONCE)
      const terms = packed(some.map(([term]) => Buffer.from(term)))
      await tx`
        insert into vocabulary (term, first_at)
        select substring(${terms.bytes}::bytea from start for length), first_at
        from unnest(${terms.starts}::int[], ${terms.lengths}::int[], ${some.map(([, at]) => at)}::bigint[])
          as place (start, length, first_at)
        on conflict (term) do update set first_at = excluded.first_at where vocabulary.first_at > excluded.first_at`
    }
    const unused = [...deleted].filter(isInVocabulary).map(term => ({ term: Buffer.from(term) }))
    for (let from = 0; from < unused.length; from += ROWS_AT_ONCE)
      await tx`insert into perhaps_unused ${tx(unused.slice(from, from + ROWS_AT_ONCE))} on conflict do nothing`
    return () => {
      for (const [term, at] of unknown) remembered.set(term, at)
    }
  }

  /**
   * Deletes the terms of deleted captures that no other capture has. Call it when no change is open. If it is interrupted, the next call
   * finishes the rest.
   */
  async forgetUnused(): Promise<void> {
    for (let isOver = false; !isOver; )
      isOver = await this.#database.change(async tx => {
        const state = await lockedState(tx)
        const rows = await tx<{ term: Buffer }[]>`select term from perhaps_unused order by term limit ${TERMS_AT_ONCE}`
        if (rows.length === 0 || state.openAt !== null) return true
        const counted = rows.map(({ term }) => hasTerm(term.toString()))
        const answers = await this.#terms.at(state.termIndex).ask(NEVER, { applied: state.applied, counted })
        // A copy of the index that lags behind could lack captures that have one of the terms.
        if (answers?.captures !== (await statisticsUpTo(tx, LATEST_AT)).captures) return true
        const unused = rows.flatMap(({ term }, i) => (answers.counts[i] === 0 ? [term] : []))
        if (unused.length > 0) {
          await tx`delete from vocabulary where term in ${tx(unused)}`
          await tx`update cluster_state set forgotten = forgotten + 1`
        }
        await tx`delete from perhaps_unused where term in ${tx(rows.map(({ term }) => term))}`
        return false
      })
  }

  /** Returns the terms that match a pattern and that some capture may have had by an instant. Stops once it has more than `atMost`. */
  async matching(pattern: TermPattern, instant: number, atMost: number): Promise<string[]> {
    const { prefix, also = [], fuzzy, inside = '' } = pattern
    const matches = predicateOf(pattern)
    const found = new Set<string>()
    // Each edit makes a word at most one unit longer, and a unit has at most three bytes.
    const longest = fuzzy && fuzzy.begun === undefined ? 3 * (fuzzy.word.length + fuzzy.edits) : LONGEST_BYTES
    const end = afterPrefix(Buffer.from(prefix))
    for (let after: Buffer = Buffer.from(prefix), isOver = false, isFirst = true; !isOver; isFirst = false) {
      const rows = await this.#database.read(
        sql => sql<{ term: Buffer }[]>`
          select term from vocabulary
          where ${isFirst ? sql`term >= ${after}` : sql`term > ${after}`} and term < ${end} and first_at <= ${instant}
            and octet_length(term) <= ${longest} and position(${Buffer.from(inside)}::bytea in term) > 0
          order by term limit ${ROWS_READ}`,
      )
      for (const { term } of rows) {
        const text = term.toString()
        if (matches(text)) found.add(text)
      }
      isOver = rows.length < ROWS_READ || found.size > atMost
      after = rows.at(-1)?.term ?? after
    }
    if (!fuzzy) for (const term of also) found.add(term)
    return [...found]
  }
}

/** True if patterns can match a term: they match neither values of fields nor words in texts of fields. */
export function isInVocabulary(term: string): boolean {
  return fieldOfTerm(term) === undefined && Buffer.byteLength(term) <= LONGEST_BYTES
}

/** Returns bytes that sort after all terms with a prefix. UTF-8 has no byte 255. */
function afterPrefix(prefix: Buffer): Buffer {
  if (prefix.length === 0) return Buffer.of(255)
  const end = Buffer.from(prefix)
  end[end.length - 1]!++
  return end
}
