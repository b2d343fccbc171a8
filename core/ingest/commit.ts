import type { ContentObservation } from '../history/observations.ts'
import type { CaptureSpan } from '../history/resolve-history.ts'
import { revisionRows } from '../history/revision-rows.ts'
import { type HistoryChange, UrlChange } from '../history/url-change.ts'
import type { RevisedCapture } from '../segment/columns/revisions.ts'
import { EXPIRED } from '../segment/columns/tombstone.ts'
import {
  documentKey,
  documentRange,
  type KeyRange,
  manifestKey,
  revisionKey,
  revisionRange,
  revisionRowsKey,
  supersessionKey,
  urlKey,
} from '../store/keys.ts'
import { encodeManifest, type Manifest } from '../store/manifest.ts'
import { deleteBodies } from '../store/records/delete-bodies.ts'
import type { Body, DocumentRecord } from '../store/records/documents.ts'
import { encodeRevisionRows } from '../store/records/revision-record.ts'
import { readDocumentRecord } from '../store/records/stored-page.ts'
import { encodeSupersession } from '../store/records/supersession.ts'
import { decodeUrlRecord, encodeUrlRecord, type UrlRecord } from '../store/records/url-record.ts'
import { type Catalog, type CatalogChange, locateCapture } from '../store/snapshots/catalog.ts'
import type { Operation, ReadableStore } from '../store/store.ts'
import { yieldToEventLoop } from '../threads/yield-to-event-loop.ts'
import type { CaptureVector, StoredVectors } from '../vectors/stored-vectors.ts'
import { AliasClaims } from './alias-claims.ts'
import { analyzeStored } from './analyze-stored.ts'
import { buildCommit } from './build-commit.ts'
import { CommitFields, type FieldsElsewhere } from './commit-fields.ts'
import { type Build, buildCommitSegment, type PendingCapture } from './commit-segment.ts'
import { ContentReader } from './content-reader.ts'
import { type Analyzed, captureOf, type Entry, type Outcome, type PlainEntry, urlOfEntry } from './entry.ts'

/** What a commit deletes. */
export interface Deletions {
  /** Captures that became sightings or revisions, or that another observation of the same millisecond replaced. */
  captureIds: number[]
  /** The key ranges in which the deleted values still take space on disk. */
  waste: KeyRange[]
  /** Approximate size of the deleted values, bytes. */
  wasteBytes: number
}

/** A commit that is ready to be written. */
export interface PreparedCommit {
  operations: Operation[]
  outcomes: Outcome[]
  /** The change of the catalog, to be made when the operations are on disk. */
  change: CatalogChange
  /** Vectors of captures in the commit. The caller writes them. */
  vectors: CaptureVector[]
  /** Present if the commit deletes something. No read may run while such a commit is written. */
  deletions?: Deletions
  /**
   * Frees the memory of the operations, which is tens of megabytes for a large commit. To be called after the write.
   */
  release(): void
}

/** Reads the stored vectors of captures. `of` returns undefined for a capture that has none. */
export type ReadStoredVectors = (captureIds: readonly number[]) => Promise<Pick<StoredVectors, 'of'>>

/**
 * Adds observations, in order, to the histories of their URLs, and builds the segment of the commit.
 *
 * @param stampAt - the `acquiredAt` of captures that declare none, epoch ms. It is not before the manifest's last
 *   stamp.
 * @param readVectors - reads the vectors of captures in the index, which new captures of the same content reuse.
 *   Undefined if no embeddings model is in use.
 * @param fieldsElsewhere - the fields of pages that are not in the catalog. Default: the catalog has all pages.
 */
export async function prepareCommit(
  store: ReadableStore,
  catalog: Catalog,
  entries: readonly Entry[],
  stampAt: number,
  {
    build,
    readVectors,
    fieldsElsewhere,
  }: { build: Build; readVectors?: ReadStoredVectors; fieldsElsewhere?: FieldsElsewhere },
): Promise<PreparedCommit> {
  const commit = new Commit(store, catalog, stampAt, { readVectors, fieldsElsewhere })
  await commit.load(entries)
  const entered: Entered[] = []
  for (const entry of entries) {
    if (entered.length % ENTRIES_AT_ONCE === ENTRIES_AT_ONCE - 1) await yieldToEventLoop()
    entered.push(commit.enter(entry))
  }
  return commit.prepare(entered, build)
}

/** Number of entries or operations that are processed before yielding to the event loop. */
const ENTRIES_AT_ONCE = 256

/** A capture whose URL record the caller has written. */
export interface RecordedCapture {
  captureId: number
  /** Epoch ms. */
  at: number
  supersededAt: number
  declared: boolean
  document: DocumentRecord
  body: Body
  publishedAt?: number
}

/**
 * Prepares a commit that only writes captures to a segment. The caller writes their URL records and revisions.
 *
 * @param build - default: on this thread.
 */
export function prepareRecorded(
  store: ReadableStore,
  catalog: Catalog,
  captures: readonly RecordedCapture[],
  build: Build = buildCommit,
): Promise<PreparedCommit> {
  // Captures keep their numbers, so the vectors stored under these numbers stay valid.
  const commit = new Commit(store, catalog, catalog.manifest.lastStampAt)
  for (const capture of captures) commit.add(capture)
  return commit.prepare([], build)
}

/**
 * An entry after it was added to the history of its URL. The outcome of content is known only when all entries were
 * added.
 */
type Entered = Outcome | { url: string; content: ContentObservation<Analyzed> }

/** Adds observations to the histories of their URLs, and computes the operations of the commit. */
class Commit {
  readonly #store: ReadableStore
  readonly #catalog: Catalog
  readonly #stampAt: number
  readonly #readVectors: ReadStoredVectors | undefined
  readonly #content: ContentReader
  readonly #fields: CommitFields
  readonly #records = new Map<string, UrlRecord>()
  readonly #changes = new Map<string, UrlChange<Analyzed>>()
  readonly #aliases = new AliasClaims()
  readonly #pending = new Map<number, PendingCapture>()
  /** The new `supersededAt` of captures in existing segments. */
  readonly #superseded: CatalogChange['superseded'][number][] = []
  readonly #revised: RevisedCapture[] = []
  readonly #deletions: Deletions = { captureIds: [], waste: [], wasteBytes: 0 }
  #nextCaptureId: number
  #lastStampAt: number
  #urls: number

  constructor(
    store: ReadableStore,
    catalog: Catalog,
    stampAt: number,
    {
      readVectors,
      fieldsElsewhere,
    }: { readVectors?: ReadStoredVectors | undefined; fieldsElsewhere?: FieldsElsewhere | undefined } = {},
  ) {
    this.#store = store
    this.#catalog = catalog
    this.#stampAt = stampAt
    this.#readVectors = readVectors
    this.#content = new ContentReader(store, catalog)
    this.#fields = new CommitFields(catalog.segments, this.#content, fieldsElsewhere)
    this.#nextCaptureId = catalog.manifest.nextCaptureId
    this.#lastStampAt = catalog.manifest.lastStampAt
    this.#urls = catalog.manifest.urls
  }

  /** Reads the histories of the URLs of the entries. */
  async load(entries: readonly Entry[]): Promise<void> {
    const urls = [...new Set(entries.flatMap(entry => (entry.kind === 'aliases' ? [] : urlOfEntry(entry))))]
    for (let from = 0; from < urls.length; from += ENTRIES_AT_ONCE) {
      const some = urls.slice(from, from + ENTRIES_AT_ONCE)
      const stored = await this.#store.getMany(some.map(urlKey))
      some.forEach((url, i) => {
        const bytes = stored[i]
        this.#records.set(url, bytes ? decodeUrlRecord(bytes) : [])
      })
    }
  }

  enter(entry: Entry): Entered {
    if (entry.kind !== 'content') return this.#enterPlain(entry)
    const { analyzed: given } = entry
    const { url, acquiredAt, fingerprint, metadata, aliases } = captureOf(given)
    const at = acquiredAt ?? this.#stampAt
    const declared = acquiredAt !== undefined
    const content: ContentObservation<Analyzed> = { kind: 'content', at, fingerprint, metadata, declared, given }
    const change = this.#changeOf(url)
    const problem = this.#fields.enter(content, change)
    if (problem) return problem
    change.observe(content)
    this.#passed(at)
    this.#claim(aliases, url, at)
    return { url, content }
  }

  #enterPlain(entry: PlainEntry): Outcome {
    const { kind, url } = entry
    const at = entry.at ?? this.#stampAt
    this.#passed(at)
    if (kind !== 'removal') this.#claim(entry.aliases ?? [], url, at)
    if (kind === 'aliases') return 'unchanged'
    const change = this.#changeOf(url)
    const again = kind === 'sighting' && entry.since !== undefined ? change.again(entry.since, at) : undefined
    const observation =
      kind === 'removal' ? { kind, at, declared: entry.at !== undefined } : (again ?? { kind: 'seen' as const, at })
    // Only new fields can be rejected, and this observation has none.
    this.#fields.enter(observation, change)
    const hadPage = change.observe(observation)
    if (kind === 'removal') return hadPage ? 'removed' : 'absent'
    if (entry.since !== undefined) return again ? 'unchanged' : 'unmatched'
    return hadPage ? 'unchanged' : 'absent'
  }

  /** Raises the last stamp to the instant of an observation, so that later stamps are not before it. */
  #passed(at: number): void {
    this.#lastStampAt = Math.max(this.#lastStampAt, at)
  }

  #claim(aliases: readonly string[], url: string, at: number): void {
    for (const alias of aliases) if (alias !== url) this.#aliases.add(alias, { at, url })
  }

  #changeOf(url: string): UrlChange<Analyzed> {
    let change = this.#changes.get(url)
    if (!change) {
      change = new UrlChange(this.#records.get(url) ?? [])
      this.#changes.set(url, change)
    }
    return change
  }

  add({ document, body, publishedAt, ...place }: RecordedCapture): void {
    const { analyzer } = this.#catalog.identity
    const analyzed = analyzeStored(document, body, { publishedAt, details: body.details }, analyzer)
    this.#pending.set(place.captureId, { ...place, analyzed })
  }

  async prepare(entered: readonly Entered[], build: Build): Promise<PreparedCommit> {
    const operations: Operation[] = []
    const histories = new Map<string, HistoryChange<Analyzed>>()
    for (const [url, change] of this.#changes) {
      if (histories.size % ENTRIES_AT_ONCE === ENTRIES_AT_ONCE - 1) await yieldToEventLoop()
      // All observations of this URL were rejected.
      if (!change.isChanged) continue
      const history = change.resolve(() => this.#nextCaptureId++)
      histories.set(url, history)
      operations.push({ type: 'put', key: urlKey(url), value: encodeUrlRecord(history.record) })
      this.#applyHistory(url, history, operations)
    }
    const bodies = await deleteBodies(this.#store, this.#deletions.captureIds)
    for (const operation of bodies.operations) operations.push(operation)
    this.#deletions.waste.push(...bodies.waste)
    this.#deletions.wasteBytes += bodies.wasteBytes
    for (const operation of await this.#aliases.operations(this.#store)) operations.push(operation)
    for (const { segment, ordinal, supersededAt } of this.#superseded)
      operations.push({ type: 'put', key: supersessionKey(segment, ordinal), value: encodeSupersession(supersededAt) })
    const vectors = await this.#vectors()
    const { manifest: before } = this.#catalog
    const built =
      this.#pending.size > 0 ? await buildCommitSegment(before.nextSegmentId, this.#pending.values(), build) : undefined
    for (const operation of built?.operations ?? []) operations.push(operation)
    const manifest: Manifest = {
      ...before,
      generation: before.generation + 1,
      segments: built ? [...before.segments, built.info] : before.segments,
      nextSegmentId: before.nextSegmentId + (built ? 1 : 0),
      nextCaptureId: this.#nextCaptureId,
      lastStampAt: this.#lastStampAt,
      urls: this.#urls,
    }
    operations.push({ type: 'put', key: manifestKey, value: encodeManifest(manifest) })
    return {
      operations,
      outcomes: entered.map(one =>
        typeof one === 'object' && 'content' in one ? outcomeOf(histories.get(one.url)?.roles, one.content) : one,
      ),
      change: {
        manifest,
        added: built ? [{ info: built.info, columns: built.columns }] : [],
        superseded: this.#superseded,
        revised: this.#revised,
      },
      vectors,
      deletions: this.#deletions.waste.length > 0 ? this.#deletions : undefined,
      release: () => {
        for (const buffer of built?.buffers.splice(0) ?? []) buffer.transfer(0)
      },
    }
  }

  /** Makes the operations and the catalog's changes for one URL. */
  #applyHistory(url: string, history: HistoryChange<Analyzed>, operations: Operation[]): void {
    const { added, ended, revised, collapsed, collapsedRevisions } = history
    this.#urls += Number(history.hasCaptures) - Number(history.hadCaptures)
    for (const { captureId, first, supersededAt } of ended) this.#supersede(captureId, first.at, supersededAt)
    for (const { captureId, first, supersededAt } of added) {
      const { at, declared } = first
      this.#pending.set(captureId, {
        captureId,
        at,
        supersededAt,
        declared,
        analyzed: this.#content.analyzed(first, url),
      })
    }
    for (const span of [...added, ...revised]) this.#writeRevisions(span, operations)
    for (const { captureId, first } of collapsed) this.#deleteCapture(captureId, first.at, operations)
    for (const revisionId of collapsedRevisions) {
      operations.push({ type: 'del', key: revisionKey(revisionId) })
      this.#deletions.waste.push(revisionRange(revisionId))
    }
  }

  #supersede(captureId: number, at: number, supersededAt: number): void {
    const { segment, ordinal } = locateCapture(this.#catalog, captureId, at)
    this.#superseded.push({ segment: segment.info.id, ordinal, supersededAt })
  }

  /** Deletes a stored capture that the URL's new history does not have. */
  #deleteCapture(captureId: number, at: number, operations: Operation[]): void {
    this.#supersede(captureId, at, EXPIRED)
    operations.push({ type: 'del', key: documentKey(captureId) })
    this.#deletions.captureIds.push(captureId)
    this.#deletions.waste.push(documentRange(captureId))
    this.#writeRows({ captureId, acquiredAt: at, rows: [] }, operations)
  }

  /** Writes the new revisions of a capture, and the rows by which searches filter its revisions. */
  #writeRevisions(span: CaptureSpan<Analyzed>, operations: Operation[]): void {
    const { captureId, first, supersededAt, removalDeclared, revisions } = span
    for (const { revisionId, observation } of revisions) {
      const { stored } = observation
      if (stored?.role === 'revision' && stored.revisionId === revisionId) continue
      const value = this.#content.encodedRevision(observation, first)
      operations.push({ type: 'put', key: revisionKey(revisionId), value })
    }
    const pending = this.#pending.get(captureId)
    const language = pending
      ? captureOf(pending.analyzed).language
      : readDocumentRecord(this.#store, captureId).language
    const searchable = (content: ContentObservation<Analyzed>) => ({
      ...this.#content.searchable(content, language),
      at: content.at,
      declared: content.declared,
    })
    const revised = revisions.map(({ observation }) => searchable(observation))
    const rows = revised.length > 0 ? revisionRows(searchable(first), revised) : []
    const removal = removalDeclared && { removedAt: supersededAt }
    this.#writeRows({ captureId, acquiredAt: first.at, rows, ...removal }, operations)
  }

  #writeRows(revised: RevisedCapture, operations: Operation[]): void {
    const { captureId, acquiredAt, rows, removedAt } = revised
    const key = revisionRowsKey(captureId)
    if (rows.length > 0 || removedAt !== undefined)
      operations.push({ type: 'put', key, value: encodeRevisionRows(revised) })
    else if (this.#pending.has(captureId) || !this.#isRevised(captureId, acquiredAt)) return
    else operations.push({ type: 'del', key })
    this.#revised.push(revised)
  }

  #isRevised(captureId: number, acquiredAt: number): boolean {
    const { segment, ordinal } = locateCapture(this.#catalog, captureId, acquiredAt)
    return segment.isRevised(ordinal)
  }

  /** Returns the vectors of new captures. A capture whose vector was not computed reuses that of a stored capture with the same content. */
  async #vectors(): Promise<CaptureVector[]> {
    if (!this.#readVectors) return []
    const sources = [...this.#pending.values()].map(({ captureId, analyzed }) => {
      return { captureId, analyzed, same: analyzed.vector ? [] : this.#sameContents(analyzed) }
    })
    const stored = await this.#readVectors(sources.flatMap(({ same }) => same))
    return sources.flatMap(({ captureId, analyzed, same }): CaptureVector[] => {
      const vector = analyzed.vector ?? same.map(id => stored.of(id)).find(one => one !== undefined)
      return vector ? [[captureId, vector]] : []
    })
  }

  /** Returns the stored captures whose vectors new content may reuse. */
  #sameContents(analyzed: Analyzed): number[] {
    const { sameAs } = analyzed
    const { url, fingerprint, language } = captureOf(analyzed)
    const known = this.#records.get(url)?.find(one => one.kind === 'capture' && one.fingerprint === fingerprint)
    const ids = sameAs === undefined ? [] : [sameAs]
    if (known?.kind !== 'capture' || known.captureId === sameAs) return ids
    // Callers may declare two languages for the same text, of which a model may know only one. So a vector is only
    // reused within a language.
    const isSameLanguage = readDocumentRecord(this.#store, known.captureId).language === language
    return isSameLanguage ? [...ids, known.captureId] : ids
  }
}

const outcomes = { capture: 'captured', revision: 'revised', sighting: 'unchanged' } as const

/** @param roles - the roles of the URL's content. Content that was replaced has no role. */
function outcomeOf(
  roles: HistoryChange<Analyzed>['roles'] | undefined,
  content: ContentObservation<Analyzed>,
): Outcome {
  return outcomes[roles?.get(content) ?? 'sighting']
}
