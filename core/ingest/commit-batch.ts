import type { CaptureVector } from '../meaning/stored-vectors.ts'
import { CaptureFlag, type Columns, createColumns } from '../segment/columns.ts'
import type { SegmentInfo } from '../segment/segment-writer.ts'
import { type Catalog, type CatalogChange, type Place, placeOf } from '../store/catalog.ts'
import { type Body, type DocumentRecord, encodeDocument } from '../store/documents.ts'
import {
  aliasKey,
  aliasOfKey,
  bodyKey,
  chunkKey,
  documentKey,
  manifestKey,
  supersessionKey,
  urlKey,
} from '../store/keys.ts'
import { encodeManifest, type Manifest } from '../store/manifest.ts'
import type { Operation, Store } from '../store/store.ts'
import { readBody, readDocument } from '../store/stored-page.ts'
import { encodeSupersession } from '../store/supersession.ts'
import { turnOver } from '../store/turn-over.ts'
import { decodeUrlRecord, encodeUrlRecord, type UrlRecord } from '../store/url-record.ts'
import { type AnalyzedCapture, type AnalyzedGroup, GroupBuilder } from './analyzed-group.ts'
import { type BatchPlan, type BuiltBatch, buildBatch } from './build-batch.ts'
import {
  type HistoryChange,
  type NewCapture,
  observeContent,
  observeRemoval,
  observeSighting,
  type Repeated,
} from './history.ts'

/** A capture's place in its group. */
export interface Analyzed {
  group: AnalyzedGroup
  index: number
  /** What a model made of it, where one was asked and answered. */
  vector?: Int8Array
  /** A capture in the index that has the same content, whose vector is as good. */
  sameAs?: number
}

/** One thing to enter into the index. */
export type Entry = { kind: 'content'; analyzed: Analyzed } | { kind: 'sighting' | 'removal'; url: string }

export type Outcome = HistoryChange['outcome']

/** A capture that becomes part of the batch's segment. */
interface Pending extends NewCapture {
  analyzed: Analyzed
  declared: boolean
}

/** A commit ready to be written: what goes to disk, and how memory looks afterwards. */
export interface PreparedCommit {
  operations: Operation[]
  outcomes: Outcome[]
  /** What becomes of the catalog once the operations are on disk. */
  change: CatalogChange
  /** The vectors of the captures that have one, yet to be written. */
  vectors: CaptureVector[]
  /** Gives the memory of the operations back, which they need no longer: there are tens of megabytes to a batch. */
  release(): void
}

/** The vector that is stored of a capture, if any. */
export type VectorOf = (captureId: number) => Int8Array | undefined

/** Builds the segment of a batch. */
export type Build = (plan: BatchPlan) => BuiltBatch | Promise<BuiltBatch>

/**
 * Enters a batch, in order, into the histories of its URLs and has its one segment built.
 *
 * @param stampAt - `acquiredAt` of what declares none, epoch ms; not before the manifest's last stamp.
 * @param vectorOf - the vector of a capture in the index, which a capture of the same content has too.
 */
export async function prepareCommit(
  store: Store,
  catalog: Catalog,
  entries: readonly Entry[],
  stampAt: number,
  { build, vectorOf }: { build: Build; vectorOf: VectorOf },
): Promise<PreparedCommit> {
  const batch = new Batch(store, catalog, stampAt, vectorOf)
  await batch.loadRecords(entries)
  const outcomes: Outcome[] = []
  for (const entry of entries) {
    if (outcomes.length % ENTRIES_AT_ONCE === ENTRIES_AT_ONCE - 1) await turnOver()
    outcomes.push(batch.enter(entry))
  }
  return batch.prepare(outcomes, build)
}

/** Entries taken, or operations made, between two turns of the event loop. */
const ENTRIES_AT_ONCE = 256

/** A capture whose place in its URL's history is settled. */
export interface SettledCapture {
  captureId: number
  /** Epoch ms. */
  at: number
  supersededAt: number
  declared: boolean
  document: DocumentRecord
  body: Body
  publishedAt?: number
}

/** Builds the segment of captures that stand in the histories already: their URL records are the caller's to write. */
export function prepareSettled(
  store: Store,
  catalog: Catalog,
  captures: readonly SettledCapture[],
): Promise<PreparedCommit> {
  // Vectors stay with their captures, whose numbers stay.
  const batch = new Batch(store, catalog, catalog.manifest.lastStampAt, () => undefined)
  for (const capture of captures) batch.settle(capture)
  return batch.prepare([], buildBatch)
}

class Batch {
  readonly #store: Store
  readonly #catalog: Catalog
  readonly #stampAt: number
  readonly #vectorOf: VectorOf
  readonly #records = new Map<string, UrlRecord>()
  readonly #touched = new Set<string>()
  readonly #aliases = new Map<string, string>()
  readonly #pending = new Map<number, Pending>()
  /** New `supersededAt` of captures in written segments, by capture. */
  readonly #superseded = new Map<number, { acquiredAt: number; supersededAt: number }>()
  /** Buffers that hold what the operations put, and nothing else. */
  readonly #buffers = new Set<ArrayBuffer>()
  #nextCaptureId: number
  #lastStampAt: number
  #urls: number

  constructor(store: Store, catalog: Catalog, stampAt: number, vectorOf: VectorOf) {
    this.#store = store
    this.#catalog = catalog
    this.#stampAt = stampAt
    this.#vectorOf = vectorOf
    this.#nextCaptureId = catalog.manifest.nextCaptureId
    this.#lastStampAt = catalog.manifest.lastStampAt
    this.#urls = catalog.manifest.urls
  }

  async loadRecords(entries: readonly Entry[]): Promise<void> {
    const urls = [...new Set(entries.map(urlOf))]
    for (let from = 0; from < urls.length; from += ENTRIES_AT_ONCE) {
      const some = urls.slice(from, from + ENTRIES_AT_ONCE)
      const stored = await this.#store.getMany(some.map(urlKey))
      some.forEach((url, i) => {
        const bytes = stored[i]
        this.#records.set(url, bytes ? decodeUrlRecord(bytes) : [])
      })
    }
  }

  enter(entry: Entry): Outcome {
    const url = urlOf(entry)
    const record = this.#records.get(url) as UrlRecord
    if (record.length === 0 && entry.kind === 'content') this.#urls++
    this.#touched.add(url)
    if (entry.kind !== 'content') {
      const observe = entry.kind === 'removal' ? observeRemoval : observeSighting
      const change = observe(record, this.#stampAt)
      this.#lastStampAt = Math.max(this.#lastStampAt, this.#stampAt)
      this.#supersede(change)
      return change.outcome
    }
    const { analyzed } = entry
    const capture = captureOf(analyzed)
    const at = capture.acquiredAt ?? this.#stampAt
    // Removals must come last in a record: no later stamp may precede declared history either.
    this.#lastStampAt = Math.max(this.#lastStampAt, at)
    const change = observeContent(record, at, capture.fingerprint, () => this.#nextCaptureId++)
    for (const alias of capture.aliases) if (alias !== url) this.#aliases.set(alias, url)
    for (const added of change.captures) {
      const source = added.sameAs === undefined ? analyzed : this.#again(added.sameAs)
      this.#pending.set(added.captureId, { ...added, analyzed: source, declared: capture.acquiredAt !== undefined })
    }
    this.#supersede(change)
    return change.outcome
  }

  settle({ document, body, publishedAt, ...place }: SettledCapture): void {
    this.#pending.set(place.captureId, { ...place, analyzed: analyzedAgain(document, body, publishedAt) })
  }

  async prepare(outcomes: Outcome[], build: Build): Promise<PreparedCommit> {
    const operations: Operation[] = []
    for (const url of this.#touched) {
      if (operations.length % ENTRIES_AT_ONCE === ENTRIES_AT_ONCE - 1) await turnOver()
      const record = this.#records.get(url) as UrlRecord
      if (record.length > 0) operations.push({ type: 'put', key: urlKey(url), value: encodeUrlRecord(record) })
    }
    for (const [alias, url] of this.#aliases)
      operations.push(
        { type: 'put', key: aliasKey(alias), value: Buffer.from(url) },
        { type: 'put', key: aliasOfKey(url, alias), value: new Uint8Array(0) },
      )
    const supersessions = this.#locate()
    for (const { segment, ordinal, supersededAt } of supersessions)
      operations.push({
        type: 'put',
        key: supersessionKey(segment.info.id, ordinal),
        value: encodeSupersession(supersededAt),
      })
    const built = this.#pending.size > 0 ? await this.#build(build, operations) : undefined
    const { manifest: before } = this.#catalog
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
    const superseded = supersessions.map(({ segment, ordinal, supersededAt }) => ({
      segment: segment.info.id,
      ordinal,
      supersededAt,
    }))
    const release = (): void => {
      for (const buffer of this.#buffers) buffer.transfer(0)
      this.#buffers.clear()
    }
    const vectors = [...this.#pending.values()].flatMap(({ captureId, analyzed }): CaptureVector[] => {
      const vector = analyzed.vector ?? (analyzed.sameAs === undefined ? undefined : this.#vectorOf(analyzed.sameAs))
      return vector ? [[captureId, vector]] : []
    })
    return { operations, outcomes, change: { manifest, added: built ? [built] : [], superseded }, vectors, release }
  }

  #supersede({ superseded }: HistoryChange): void {
    for (const { captureId, acquiredAt, supersededAt } of superseded) {
      const pending = this.#pending.get(captureId)
      if (pending) pending.supersededAt = supersededAt
      else this.#superseded.set(captureId, { acquiredAt, supersededAt })
    }
  }

  /** The content of an earlier capture, analysed again unless it is part of this batch. */
  #again({ captureId, acquiredAt }: Repeated): Analyzed {
    const pending = this.#pending.get(captureId)
    if (pending) return pending.analyzed
    const { segment, ordinal } = placeOf(this.#catalog, captureId, acquiredAt)
    const publishedAt = segment.columns.publishedAt[ordinal]
    const document = readDocument(this.#store, captureId)
    const body = readBody(this.#store, captureId)
    const vector = this.#vectorOf(captureId)
    return {
      ...analyzedAgain(document, body, Number.isNaN(publishedAt) ? undefined : publishedAt),
      ...(vector && { vector }),
    }
  }

  #locate(): (Place & { supersededAt: number })[] {
    return [...this.#superseded].map(([captureId, { acquiredAt, supersededAt }]) => ({
      ...placeOf(this.#catalog, captureId, acquiredAt),
      supersededAt,
    }))
  }

  /** Has the segment built, and adds it with what is stored of each capture. */
  async #build(build: Build, operations: Operation[]): Promise<{ info: SegmentInfo; columns: Columns }> {
    const captures = [...this.#pending.values()].sort(byAcquisition)
    const columns = createColumns(captures.length)
    const groups = [...new Set(captures.map(({ analyzed }) => analyzed.group))]
    const numbers = new Map(groups.map((group, number) => [group, number]))
    const groupOf = new Uint32Array(captures.length)
    const indexOf = new Uint32Array(captures.length)
    captures.forEach((pending, ordinal) => {
      const capture = captureOf(pending.analyzed)
      groupOf[ordinal] = numbers.get(pending.analyzed.group) as number
      indexOf[ordinal] = pending.analyzed.index
      columns.acquiredAt[ordinal] = pending.at
      columns.supersededAt[ordinal] = pending.supersededAt
      columns.lengths[ordinal] = capture.length
      columns.captureIds[ordinal] = pending.captureId
      columns.flags[ordinal] = pending.declared ? CaptureFlag.declared : 0
      // A date after acquisition can't be a publish date.
      if (capture.publishedAt !== undefined && capture.publishedAt <= pending.at)
        columns.publishedAt[ordinal] = capture.publishedAt
    })
    const segment = this.#catalog.manifest.nextSegmentId
    const { info, chunks } = await build({
      segment,
      groups: groups.map(({ postings }) => postings),
      groupOf,
      indexOf,
      columns,
    })
    for (const { stream, chunk, bytes } of chunks) {
      operations.push({ type: 'put', key: chunkKey(segment, stream, chunk), value: bytes })
      this.#buffers.add(bytes.buffer)
    }
    for (const { bodies, vectors } of groups) for (const { buffer } of [bodies, vectors]) this.#buffers.add(buffer)
    for (const [ordinal, { captureId, analyzed }] of captures.entries()) {
      if (ordinal % ENTRIES_AT_ONCE === ENTRIES_AT_ONCE - 1) await turnOver()
      const capture = captureOf(analyzed)
      const body = analyzed.group.bodies.subarray(capture.bodyStart, capture.bodyEnd)
      const vector = analyzed.group.vectors.subarray(capture.vectorStart, capture.vectorEnd)
      operations.push(
        { type: 'put', key: documentKey(captureId), value: encodeDocument(capture, vector) },
        { type: 'put', key: bodyKey(captureId), value: body },
      )
    }
    return { info, columns }
  }
}

function captureOf({ group, index }: Analyzed): AnalyzedCapture {
  return group.captures[index]
}

function analyzedAgain({ url, title }: DocumentRecord, body: Body, publishedAt?: number): Analyzed {
  const builder = new GroupBuilder()
  builder.add({ url, aliases: [], title, fingerprint: '', ...(publishedAt !== undefined && { publishedAt }) }, body)
  return { group: builder.finish(), index: 0 }
}

function urlOf(entry: Entry): string {
  return entry.kind === 'content' ? captureOf(entry.analyzed).url : entry.url
}

/** The order of ordinals: acquiredAt, then URL descending, so that a higher ordinal goes first among equal scores. */
function byAcquisition(a: Pending, b: Pending): number {
  if (a.at !== b.at) return a.at - b.at
  const urlA = captureOf(a.analyzed).url
  const urlB = captureOf(b.analyzed).url
  if (urlA !== urlB) return urlA > urlB ? -1 : 1
  return a.captureId - b.captureId
}
