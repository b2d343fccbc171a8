import { CaptureFlag, createColumns } from '../segment/columns.ts'
import { type PostingCache, Segment } from '../segment/segment.ts'
import { SegmentWriter } from '../segment/segment-writer.ts'
import { type Catalog, newestFirst, type Place, placeOf } from '../store/catalog.ts'
import { BODY_BLOCK_BYTES, encodeBody, encodeBodyBlock, encodeDocument } from '../store/documents.ts'
import { aliasKey, bodyKey, chunkKey, documentKey, manifestKey, supersessionKey, urlKey } from '../store/keys.ts'
import { encodeManifest, type Manifest } from '../store/manifest.ts'
import type { Operation, Store } from '../store/store.ts'
import { readBody, readDocument } from '../store/stored-page.ts'
import { encodeSupersession } from '../store/supersession.ts'
import { decodeUrlRecord, encodeUrlRecord, type UrlRecord } from '../store/url-record.ts'
import { plainText } from '../text/plain-text.ts'
import { GroupBuilder } from './analyzed-group.ts'
import {
  type HistoryChange,
  type NewCapture,
  observeContent,
  observeRemoval,
  observeSighting,
  type Repeated,
} from './history.ts'
import { type Analyzed, invert } from './invert.ts'

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
  /** The catalog once the operations are on disk. Changes memory, so it is called only then. */
  apply(): Catalog
}

/**
 * Enters a batch, in order, into the histories of its URLs and builds its one segment.
 *
 * @param stampAt - `acquiredAt` of what declares none, epoch ms; not before the manifest's last stamp.
 */
export async function prepareCommit(
  store: Store,
  catalog: Catalog,
  cache: PostingCache,
  entries: readonly Entry[],
  stampAt: number,
): Promise<PreparedCommit> {
  const batch = new Batch(store, catalog, stampAt)
  await batch.loadRecords(entries)
  const outcomes = entries.map(entry => batch.enter(entry))
  return batch.prepare(outcomes, cache)
}

/** Body blocks compressed at a time, as many as libuv has threads. */
const COMPRESSIONS = 4

class Batch {
  readonly #store: Store
  readonly #catalog: Catalog
  readonly #stampAt: number
  readonly #records = new Map<string, UrlRecord>()
  readonly #touched = new Set<string>()
  readonly #aliases = new Map<string, string>()
  readonly #pending = new Map<number, Pending>()
  /** New `supersededAt` of captures in written segments, by capture. */
  readonly #superseded = new Map<number, { acquiredAt: number; supersededAt: number }>()
  #nextCaptureId: number
  #lastStampAt: number
  #urls: number

  constructor(store: Store, catalog: Catalog, stampAt: number) {
    this.#store = store
    this.#catalog = catalog
    this.#stampAt = stampAt
    this.#nextCaptureId = catalog.manifest.nextCaptureId
    this.#lastStampAt = catalog.manifest.lastStampAt
    this.#urls = catalog.manifest.urls
  }

  async loadRecords(entries: readonly Entry[]): Promise<void> {
    const urls = [...new Set(entries.map(urlOf))]
    const stored = await this.#store.getMany(urls.map(urlKey))
    urls.forEach((url, i) => {
      const bytes = stored[i]
      this.#records.set(url, bytes ? decodeUrlRecord(bytes) : [])
    })
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
    const { capture } = analyzed
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

  async prepare(outcomes: Outcome[], cache: PostingCache): Promise<PreparedCommit> {
    const operations: Operation[] = []
    for (const url of this.#touched) {
      const record = this.#records.get(url) as UrlRecord
      if (record.length > 0) operations.push({ type: 'put', key: urlKey(url), value: encodeUrlRecord(record) })
    }
    for (const [alias, url] of this.#aliases)
      operations.push({ type: 'put', key: aliasKey(alias), value: Buffer.from(url) })
    const supersessions = this.#locate()
    for (const { segment, ordinal, supersededAt } of supersessions)
      operations.push({
        type: 'put',
        key: supersessionKey(segment.info.id, ordinal),
        value: encodeSupersession(supersededAt),
      })
    const built = this.#pending.size > 0 ? this.#buildSegment(operations) : undefined
    await this.#storeBodies(operations)
    const { manifest: before, segments } = this.#catalog
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
    const apply = (): Catalog => {
      for (const { segment, ordinal, supersededAt } of supersessions)
        segment.columns.supersededAt[ordinal] = supersededAt
      if (!built) return { manifest, segments }
      const segment = new Segment(built.info, built.columns, this.#store.chunks(built.info.id), cache)
      return { manifest, segments: newestFirst([segment, ...segments]) }
    }
    return { operations, outcomes, apply }
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
    const { details, markdown } = readBody(this.#store, document)
    const builder = new GroupBuilder()
    const { url, title } = document
    builder.add(
      {
        url,
        aliases: [],
        title,
        details,
        markdown,
        fingerprint: '',
        ...(!Number.isNaN(publishedAt) && { publishedAt }),
      },
      { url, title, text: plainText(markdown) },
    )
    const group = builder.finish()
    return { group, capture: group.captures[0] }
  }

  #locate(): (Place & { supersededAt: number })[] {
    return [...this.#superseded].map(([captureId, { acquiredAt, supersededAt }]) => ({
      ...placeOf(this.#catalog, captureId, acquiredAt),
      supersededAt,
    }))
  }

  #buildSegment(operations: Operation[]): { info: Segment['info']; columns: Segment['columns'] } {
    const captures = [...this.#pending.values()].sort(byAcquisition)
    const columns = createColumns(captures.length)
    captures.forEach((pending, ordinal) => {
      const { capture } = pending.analyzed
      columns.acquiredAt[ordinal] = pending.at
      columns.supersededAt[ordinal] = pending.supersededAt
      columns.lengths[ordinal] = capture.length
      columns.captureIds[ordinal] = pending.captureId
      columns.flags[ordinal] = pending.declared ? CaptureFlag.declared : 0
      // A date after acquisition can't be a publish date.
      if (capture.publishedAt !== undefined && capture.publishedAt <= pending.at)
        columns.publishedAt[ordinal] = capture.publishedAt
    })
    const id = this.#catalog.manifest.nextSegmentId
    const sink = {
      put: (stream: Parameters<typeof chunkKey>[1], chunk: number, value: Uint8Array) => {
        operations.push({ type: 'put', key: chunkKey(id, stream, chunk), value })
      },
    }
    const writer = new SegmentWriter(sink, columns)
    invert(
      captures.map(pending => pending.analyzed),
      writer,
    )
    return { info: writer.finish(id), columns }
  }

  /** Adds body blocks and document records, in capture order: bodies that came together are compressed together. */
  async #storeBodies(operations: Operation[]): Promise<void> {
    const blocks: { id: number; bodies: Uint8Array[]; bytes: number }[] = []
    for (const { captureId, analyzed } of [...this.#pending.values()].sort((a, b) => a.captureId - b.captureId)) {
      const { capture } = analyzed
      const body = encodeBody(capture)
      let block = blocks.at(-1)
      if (!block || block.bytes + body.length > BODY_BLOCK_BYTES) {
        block = { id: captureId, bodies: [], bytes: 0 }
        blocks.push(block)
      }
      const { url, title, titlePositions } = capture
      const document = { url, title, titlePositions, bodyBlock: block.id, bodyIndex: block.bodies.length }
      operations.push({ type: 'put', key: documentKey(captureId), value: encodeDocument(captureId, document) })
      block.bodies.push(body)
      block.bytes += body.length
    }
    // A few at a time: every compression under way holds a workspace of its own.
    for (let from = 0; from < blocks.length; from += COMPRESSIONS) {
      const some = blocks.slice(from, from + COMPRESSIONS)
      const values = await Promise.all(some.map(block => encodeBodyBlock(block.bodies)))
      some.forEach((block, i) => {
        operations.push({ type: 'put', key: bodyKey(block.id), value: values[i] })
      })
    }
  }
}

function urlOf(entry: Entry): string {
  return entry.kind === 'content' ? entry.analyzed.capture.url : entry.url
}

/** The order of ordinals: acquiredAt, then URL descending, so that a higher ordinal goes first among equal scores. */
function byAcquisition(a: Pending, b: Pending): number {
  if (a.at !== b.at) return a.at - b.at
  const urlA = a.analyzed.capture.url
  const urlB = b.analyzed.capture.url
  if (urlA !== urlB) return urlA > urlB ? -1 : 1
  return a.captureId - b.captureId
}
