import { AsofError, isAsofError } from '@asof/core'
import type {
  CaptureVector,
  EnteredChange,
  EnterOptions,
  Entry,
  ExpiredCapture,
  IndexCounters,
  IndexedCapture,
  Operation,
  Outcome,
  PartChange,
  RecordedPages,
  Snapshot,
  StoredIndex,
} from '@asof/core/internal'
import type { Bodies } from '../objects/bodies.ts'
import { type Queries, ROWS_AT_ONCE } from '../queries.ts'
import { type ClusterDatabase, type ClusterState, lockedState, nextStamp } from '../stored/database.ts'
import { addHolders, fieldsNow } from '../stored/field-holders.ts'
import { addObjects, freeBodies, packIntoObjects } from '../stored/object-rows.ts'
import { addStatistics } from '../stored/statistics.ts'
import { bufferOf, rowOf, writeRows } from '../stored/stored-rows.ts'
import { UnusedObjects } from '../stored/unused-objects.ts'
import { applyOldest, lockApplying, termIndexIn } from '../terms/applying.ts'
import { enterChange, type JournaledChange } from '../terms/journal.ts'
import { bulkText, termChanges } from '../terms/term-changes.ts'
import type { TermIndices } from '../terms/term-indices.ts'
import { NEVER } from '../terms/term-queries.ts'
import type { Vocabulary } from '../terms/vocabulary.ts'

/** A change that was decided in a transaction. */
interface Decision<T> {
  result: T
  /** What is written. Undefined if nothing changes. */
  change?: PartChange
  /** The instant of the change, epoch ms. For answers as of this instant and later, the term index must have the change. */
  at: number
  /** True if the change affects answers as of earlier instants. */
  rewrites: boolean
  /** True if the vectors are those of earlier captures, not of captures of this change. */
  isLate?: boolean
}

/**
 * Writes to a cluster. Each change is decided in one transaction, under the lock of the state row: it writes the pages and the statistics, and
 * enters into the journal what the term index has to get. A change is open until the term index has it. The writer then applies all open
 * changes in order, also those of other writers. So the next writer completes what a writer that died has left.
 */
export class ClusterWriter {
  readonly #database: ClusterDatabase
  readonly #terms: TermIndices
  readonly #vocabulary: Vocabulary
  readonly #now: () => number
  readonly #model: string | undefined
  /** The texts of changes that this server has decided and not applied yet, by their numbers. They need not be read from the journal. */
  readonly #decided = new Map<number, string>()
  #applying: Promise<void> | undefined
  #deletingUnused: Promise<void> | undefined

  /** @param options.model - the identity of the embeddings model. Default: none is in use. */
  constructor(
    database: ClusterDatabase,
    terms: TermIndices,
    vocabulary: Vocabulary,
    { now, model }: { now: () => number; model?: string | undefined },
  ) {
    this.#database = database
    this.#terms = terms
    this.#vocabulary = vocabulary
    this.#now = now
    this.#model = model
  }

  /** Adds observations in one change. @throws ASOF_STORE_WRITE */
  write(entries: readonly Entry[]): Promise<Outcome[]> {
    return this.#enter((index, options) => index.enter(entries, options))
  }

  /** Adds one entry. The history of the page decides to which URL the entry belongs, see `WritableIndex.change`. */
  async writeAbout(url: string, entryOf: (latest: Snapshot) => Entry): Promise<Outcome | undefined> {
    const [outcome] = await this.#enter((index, options) => index.change(url, entryOf, options))
    return outcome
  }

  #enter(enter: (index: StoredIndex, options: EnterOptions) => Promise<EnteredChange>): Promise<Outcome[]> {
    return this.#change(async (tx, state) => {
      const { outcomes, ...decision } = await enter(await this.#database.index(tx, state), {
        // As on one machine, the stamp is not before the instants that the entries declare.
        stampAt: declaredAt => nextStamp(state, Math.max(this.#now(), declaredAt)),
        fields: () => fieldsNow(tx),
        model: this.#model,
      })
      return { result: outcomes, ...decision }
    })
  }

  /**
   * Adds vectors to captures. Skips captures that were deleted, or got a vector, meanwhile. Returns the number of vectors added.
   *
   * @throws ASOF_STORE_WRITE
   */
  addVectors(vectors: readonly CaptureVector[]): Promise<number> {
    return this.#change(async (tx, state) => {
      const ids = vectors.map(([captureId]) => captureId)
      const rows = await tx<{ id: number }[]>`select id from capture where id in ${tx(ids)}`
      const captureIds = rows.map(({ id }) => id)
      const index = await this.#database.index(tx, state)
      const stored = await index.vectors(captureIds, this.#model)
      const lacking = new Set(await stored.lacking(captureIds))
      const added = vectors.filter(([captureId]) => lacking.has(captureId))
      const nothing = await index.adopt()
      const change = added.length > 0 ? { ...nothing, vectors: added } : undefined
      return { result: added.length, change, at: state.lastStampAt, rewrites: true, isLate: true }
    })
  }

  /** Adds pages of another index, see `PartialIndex.adopt`. @param counters - the counters of the cluster with these pages. */
  adopt(pages: Partial<RecordedPages>, counters: IndexCounters): Promise<void> {
    return this.#change(async (tx, state) => {
      const change = await (await this.#database.index(tx, state)).adopt(pages, counters)
      return { result: undefined, change, at: change.counters.lastStampAt, rewrites: true }
    })
  }

  /** Deletes a URL, or the page that it is an alias of, from all of time. Returns the number of captures. @throws ASOF_STORE_WRITE */
  async purge(url: string): Promise<number> {
    return (await this.purgeUrls([url], { ofPage: true })).captures
  }

  /** Deletes the histories of URLs from all of time. Returns the number of URLs that had captures. @throws ASOF_STORE_WRITE */
  purgeUrls(urls: readonly string[], options = { ofPage: false }): Promise<{ pages: number; captures: number }> {
    return this.#change(async (tx, state) => {
      const change = await (await this.#database.index(tx, state)).purge(urls, options)
      const result = { pages: change?.pages ?? 0, captures: change?.purged ?? 0 }
      // A purge has no instant of its own, because it affects answers as of every instant.
      return { result, change, at: state.lastStampAt, rewrites: true }
    })
  }

  /** Deletes expired captures. Returns the number deleted. @throws ASOF_STORE_WRITE */
  expire(expired: readonly (ExpiredCapture & { url: string })[]): Promise<number> {
    return this.#change(async (tx, state) => {
      const change = await (await this.#database.index(tx, state)).expire(expired)
      // Expiry affects answers as of every instant, like a purge.
      return { result: change?.expired ?? 0, change, at: state.lastStampAt, rewrites: true }
    })
  }

  /** Applies all open changes in the background. If that fails, the next call tries again. */
  applySoon(): void {
    this.#applying ??= this.applyOpen()
      .catch(() => {})
      .finally(() => {
        this.#applying = undefined
      })
  }

  /** Deletes unused objects from the object store in the background, if the cluster has one. If that fails, the next deletion tries again. */
  deleteUnusedSoon(): void {
    const { bodies } = this.#database
    if (!bodies) return
    this.#deletingUnused ??= new UnusedObjects(this.#database, bodies)
      .delete()
      .catch(() => {})
      .finally(() => {
        this.#deletingUnused = undefined
      })
  }

  /** Applies all open changes to the term index. @throws ASOF_STORE_WRITE */
  async applyOpen(): Promise<void> {
    try {
      while (await this.#applySome());
    } catch (cause) {
      const state = 'the change is in the journal, and is finished by the next write or search of any server'
      throw writeFailed(isAsofError(cause, 'ASOF_SEARCH_FAILED') ? `${state}. ${cause.message}` : state, cause)
    }
  }

  /** Applies the oldest open changes, at least one, to the searched index and to one that is being built. Returns false if no change is open. */
  #applySome(): Promise<boolean> {
    return this.#database.change(async tx => {
      await lockApplying(tx)
      const { number, building } = await termIndexIn(tx)
      const indices = building === null ? [number] : [number, building]
      return applyOldest(
        tx,
        indices.map(index => this.#terms.at(index)),
        this.#decided,
      )
    })
  }

  async #change<T>(decide: (tx: Queries, state: ClusterState) => Promise<Decision<T>>): Promise<T> {
    let isDecided = false
    let saved: Saved = { isOpen: false }
    let remember = (): void => {}
    let isDeleting = false
    const result = await this.#database
      .change(async tx => {
        const state = await lockedState(tx)
        const decision = await decide(tx, state)
        if (decision.change) {
          const vectors = await this.#vectorOperations(tx, state, decision)
          const operations = [...decision.change.operations, ...vectors]
          const change = { ...decision.change, operations }
          saved = await save(tx, state, { ...decision, change }, this.#database.bodies)
          remember = await this.#vocabulary.note(tx, { added: change.addedTerms, deleted: change.deletedTerms }, state)
          isDeleting = change.deletedTerms.size > 0
        }
        isDecided = true
        return decision.result
      })
      .catch((cause: unknown) => {
        if (isAsofError(cause) && !isAsofError(cause, 'ASOF_STORE_READ')) throw cause
        // If the connection is lost after the last statement, the commit may or may not have been made.
        throw writeFailed(
          isDecided
            ? 'it is not known whether the change was made, and making it again is safe'
            : 'nothing was changed',
          cause,
        )
      })
    remember()
    const { isOpen, journaled } = saved
    if (journaled) this.#decided.set(journaled.number, journaled.text)
    try {
      if (isOpen) await this.applyOpen()
    } finally {
      if (journaled) this.#decided.delete(journaled.number)
    }
    if (isDeleting) {
      await this.#vocabulary.forgetUnused()
      this.deleteUnusedSoon()
    }
    return result
  }

  /** Returns the operations on stored vectors that belong to a decision. */
  async #vectorOperations(
    tx: Queries,
    state: ClusterState,
    { change, isLate = false }: Decision<unknown>,
  ): Promise<Operation[]> {
    const { vectors: added = [], deleted = [] } = change ?? {}
    const index = await this.#database.index(tx, state)
    const { operations, models } = await index.changeVectors({ added, deleted, isLate, model: this.#model })
    if (models !== undefined) await tx`update cluster_state set models = ${models}`
    return operations
  }
}

interface Saved {
  /** True if open changes have to be applied before the change can be acknowledged. */
  isOpen: boolean
  /** The change as the journal has it. Undefined if it does nothing to the term index. */
  journaled?: JournaledChange
}

/** Writes a decision to PostgreSQL, and its bodies to the object store. */
async function save(
  tx: Queries,
  { changes: earlier, rewrites, lastStampAt }: ClusterState,
  { change, at, rewrites: isRewriting }: Decision<unknown> & { change: PartChange },
  bodies: Bodies | undefined,
): Promise<Saved> {
  const { operations, captures, deleted, statistics, fields, counters } = change
  const values = new Map(operations.map(operation => [bufferOf(operation.key).toString('latin1'), operation]))
  const packed = bodies && packIntoObjects([...values.values()], bodies)
  // The bodies are put while the rows are written, and before the commit. So a change that fails leaves at most unused objects.
  const put = bodies?.put(packed!.objects)
  put?.catch(() => {})
  const stored = packed?.operations ?? [...values.values()]
  const puts = stored.flatMap(one => (one.type === 'put' ? [rowOf(one.key, one.value)] : []))
  const dels = stored.flatMap(one => (one.type === 'del' ? [bufferOf(one.key)] : []))
  if (packed) {
    await addObjects(tx, packed.objects)
    await freeBodies(tx, dels)
  }
  await writeRows(tx, puts)
  for (const some of parts(dels)) await tx`delete from value where key in ${tx(some)}`
  for (const some of parts(captures)) await writeCaptures(tx, some)
  for (const some of parts(deleted)) await tx`delete from capture where id in ${tx(some)}`
  await addStatistics(tx, statistics)
  await addHolders(tx, fields)
  const number = earlier + 1
  await tx`
    update cluster_state set next_capture_id = ${counters.nextCaptureId}, last_stamp_at = ${counters.lastStampAt},
      urls = ${counters.urls}, purged = ${counters.purged}, dropped = ${counters.dropped},
      retained_since_at = ${counters.retainedSinceAt}, changes = ${number},
      rewrites = ${rewrites + Number(isRewriting)}`
  const changes = termChanges(captures, deleted)
  const isIndexed = changes.added.length + changes.changed.length + changes.deleted.length > 0
  const journaled = isIndexed ? { number, text: bulkText(number, changes) } : undefined
  if (journaled) await enterChange(tx, journaled, { at, follows: lastStampAt, rewrites: isRewriting })
  await put
  if (journaled) return { isOpen: true, journaled }
  // While an earlier change is open, "now" is before it, so that searches would not see this change.
  const [open] = await tx<[{ isOpen: boolean }]>`select exists (select from journal) as "isOpen"`
  return open
}

/** Inserts new captures. For captures that exist, it updates when they were superseded. */
async function writeCaptures(tx: Queries, captures: readonly IndexedCapture[]): Promise<void> {
  const column = (of: (capture: IndexedCapture) => number | undefined): (number | null)[] =>
    captures.map(capture => of(capture) ?? null)
  await tx`
    insert into capture (id, url, published_at, acquired_at, superseded_at, length)
    select * from unnest(
      ${column(({ captureId }) => captureId)}::bigint[], ${captures.map(({ url }) => url)}::text[],
      ${column(({ publishedAt }) => publishedAt)}::bigint[], ${column(({ acquiredAt }) => acquiredAt)}::bigint[],
      ${column(({ supersededAt }) => Math.min(supersededAt, NEVER))}::bigint[], ${column(({ length }) => length)}::int[])
    on conflict (id) do update set superseded_at = excluded.superseded_at`
}

function* parts<T>(rows: readonly T[]): Generator<T[]> {
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) yield rows.slice(from, from + ROWS_AT_ONCE)
}

function writeFailed(state: string, cause: unknown): AsofError {
  return new AsofError('ASOF_STORE_WRITE', `the cluster could not be written: ${state}`, { cause })
}
