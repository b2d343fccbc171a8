import { revisionRows, type Searchable, searchableOf } from '../history/revision-rows.ts'
import { UrlChange, type UrlSettlement } from '../history/url-change.ts'
import type { ContentLook, StoredContent, Stretch } from '../history/url-history.ts'
import { CaptureFlag, type Columns, createColumns } from '../segment/columns/columns.ts'
import type { RevisedCapture } from '../segment/columns/revisions.ts'
import type { SegmentInfo } from '../segment/segment-writer.ts'
import {
  aliasKey,
  aliasOfKey,
  bodyKey,
  bodyRange,
  chunkKey,
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
import { type AliasClaim, decodeAliasRecord, encodeAliasRecord, withClaims } from '../store/records/alias-record.ts'
import { type Body, type DocumentRecord, decodeBody, encodeDocument } from '../store/records/documents.ts'
import { encodeRevision, encodeRevisionRows, type Form, type Metadata } from '../store/records/revision-record.ts'
import { readBody, readDocument, readRevision } from '../store/records/stored-page.ts'
import { encodeSupersession } from '../store/records/supersession.ts'
import { decodeUrlRecord, encodeUrlRecord, formOf, type UrlRecord } from '../store/records/url-record.ts'
import { type Catalog, type CatalogChange, EXPIRED, placeOf } from '../store/snapshots/catalog.ts'
import type { Operation, Store } from '../store/store.ts'
import { plainText } from '../text/markdown/plain-text.ts'
import { yieldToEventLoop } from '../threads/yield-to-event-loop.ts'
import type { CaptureVector } from '../vectors/stored-vectors.ts'
import { type AnalyzedCapture, type AnalyzedGroup, GroupBuilder } from './analyzed-group.ts'
import { type BatchPlan, type BuiltBatch, buildBatch } from './build-batch.ts'

/** A capture's place in its group. */
export interface Analyzed {
  group: AnalyzedGroup
  index: number
  /** The vector that a model made of it, where one was asked and answered. */
  vector?: Int8Array
  /** A capture in the index that has the same content, whose vector is as good. */
  sameAs?: number
}

/** One thing to enter into the index. */
export type Entry = { kind: 'content'; analyzed: Analyzed } | { kind: 'sighting' | 'removal'; url: string }

/**
 * What became of an entry: content is `captured` when its text is new at its instant, `revised` when its metadata alone
 * are, else `unchanged`, as is a page that was seen again; `absent` is a URL without a page to be seen or removed.
 */
export type Outcome = 'captured' | 'revised' | 'unchanged' | 'removed' | 'absent'

/** A capture that becomes part of the batch's segment. */
interface Pending {
  captureId: number
  /** Epoch ms. */
  at: number
  supersededAt: number
  analyzed: Analyzed
  declared: boolean
}

/** What a commit takes out of the index. */
export interface Superfluous {
  /** Captures that turned into sightings or revisions. */
  captureIds: number[]
  /** Where on disk the deleted values still lie, and about how many bytes that is. */
  waste: KeyRange[]
  wasteBytes: number
}

/** A commit ready to be written: what goes to disk, and how memory looks afterwards. */
export interface PreparedCommit {
  operations: Operation[]
  outcomes: Outcome[]
  /** What becomes of the catalog once the operations are on disk. */
  change: CatalogChange
  /** The vectors of the captures that have one, yet to be written. */
  vectors: CaptureVector[]
  /** Present when the commit deletes something: nobody may be reading while it is written. */
  superfluous?: Superfluous
  /** Frees the memory of the operations once they are written: there are tens of megabytes to a batch. */
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
 * @param vectorOf - the vector of a capture in the index, which a capture of the same content has too. Absent when no model
 *   is in use.
 */
export async function prepareCommit(
  store: Store,
  catalog: Catalog,
  entries: readonly Entry[],
  stampAt: number,
  { build, vectorOf }: { build: Build; vectorOf?: VectorOf },
): Promise<PreparedCommit> {
  const batch = new Batch(store, catalog, stampAt, vectorOf)
  await batch.load(entries)
  const entered: Entered[] = []
  for (const entry of entries) {
    if (entered.length % ENTRIES_AT_ONCE === ENTRIES_AT_ONCE - 1) await yieldToEventLoop()
    entered.push(batch.enter(entry))
  }
  return batch.prepare(entered, build)
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

/** Builds the segment of captures that are in the histories already: the caller writes their URL records and revisions. */
export function prepareSettled(
  store: Store,
  catalog: Catalog,
  captures: readonly SettledCapture[],
): Promise<PreparedCommit> {
  // Vectors stay with their captures, whose numbers stay.
  const batch = new Batch(store, catalog, catalog.manifest.lastStampAt)
  for (const capture of captures) batch.add(capture)
  return batch.prepare([], buildBatch)
}

/** An entry in the history of its URL: what became of it, or the content whose role says so once all are entered. */
type Entered = Outcome | { url: string; look: ContentLook<Analyzed> }

class Batch {
  readonly #store: Store
  readonly #catalog: Catalog
  readonly #stampAt: number
  readonly #vectorOf: VectorOf | undefined
  readonly #records = new Map<string, UrlRecord>()
  readonly #changes = new Map<string, UrlChange<Analyzed>>()
  readonly #claims = new Map<string, AliasClaim[]>()
  readonly #pending = new Map<number, Pending>()
  /** New `supersededAt` of captures in written segments. */
  readonly #superseded: CatalogChange['superseded'][number][] = []
  readonly #revised: RevisedCapture[] = []
  readonly #superfluous: Superfluous = { captureIds: [], waste: [], wasteBytes: 0 }
  /** Buffers that hold what the operations put, and nothing else. */
  readonly #buffers = new Set<ArrayBuffer>()
  #nextCaptureId: number
  #lastStampAt: number
  #urls: number

  constructor(store: Store, catalog: Catalog, stampAt: number, vectorOf?: VectorOf) {
    this.#store = store
    this.#catalog = catalog
    this.#stampAt = stampAt
    this.#vectorOf = vectorOf
    this.#nextCaptureId = catalog.manifest.nextCaptureId
    this.#lastStampAt = catalog.manifest.lastStampAt
    this.#urls = catalog.manifest.urls
  }

  /** Reads the histories of the URLs of a batch. */
  async load(entries: readonly Entry[]): Promise<void> {
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

  enter(entry: Entry): Entered {
    const url = urlOf(entry)
    const change = this.#changeOf(url)
    if (entry.kind !== 'content') {
      this.#lastStampAt = Math.max(this.#lastStampAt, this.#stampAt)
      const isRemoval = entry.kind === 'removal'
      const wasThere = change.observe({ kind: isRemoval ? 'removal' : 'seen', at: this.#stampAt })
      if (!wasThere) return 'absent'
      return isRemoval ? 'removed' : 'unchanged'
    }
    const { analyzed } = entry
    const { acquiredAt, fingerprint, metadata, aliases } = captureOf(analyzed)
    const at = acquiredAt ?? this.#stampAt
    // Removals must come last in a record: no later stamp may precede declared history either.
    this.#lastStampAt = Math.max(this.#lastStampAt, at)
    const declared = acquiredAt !== undefined
    const look: ContentLook<Analyzed> = { kind: 'content', at, fingerprint, metadata, declared, given: analyzed }
    change.observe(look)
    for (const alias of aliases) if (alias !== url) this.#claimsOf(alias).push({ at, url })
    return { url, look }
  }

  #changeOf(url: string): UrlChange<Analyzed> {
    let change = this.#changes.get(url)
    if (!change) {
      change = new UrlChange(this.#records.get(url) ?? [])
      this.#changes.set(url, change)
    }
    return change
  }

  #claimsOf(alias: string): AliasClaim[] {
    let claims = this.#claims.get(alias)
    if (!claims) {
      claims = []
      this.#claims.set(alias, claims)
    }
    return claims
  }

  add({ document, body, publishedAt, ...place }: SettledCapture): void {
    const metadata = { details: body.details, ...(publishedAt !== undefined && { publishedAt }) }
    this.#pending.set(place.captureId, { ...place, analyzed: analyzedAgain(document, body, metadata) })
  }

  async prepare(entered: readonly Entered[], build: Build): Promise<PreparedCommit> {
    const operations: Operation[] = []
    const settlements = new Map<string, UrlSettlement<Analyzed>>()
    for (const [url, change] of this.#changes) {
      if (settlements.size % ENTRIES_AT_ONCE === ENTRIES_AT_ONCE - 1) await yieldToEventLoop()
      const settlement = change.settle(() => this.#nextCaptureId++)
      settlements.set(url, settlement)
      operations.push({ type: 'put', key: urlKey(url), value: encodeUrlRecord(settlement.record) })
      this.#carryOut(url, settlement, operations)
    }
    await this.#enterAliases(operations)
    for (const { segment, ordinal, supersededAt } of this.#superseded)
      operations.push({ type: 'put', key: supersessionKey(segment, ordinal), value: encodeSupersession(supersededAt) })
    const vectors = [...this.#pending.values()].flatMap(({ captureId, analyzed }): CaptureVector[] => {
      const vector = this.#vectorFor(analyzed)
      return vector ? [[captureId, vector]] : []
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
    const release = (): void => {
      for (const buffer of this.#buffers) buffer.transfer(0)
      this.#buffers.clear()
    }
    return {
      operations,
      outcomes: entered.map(one =>
        typeof one === 'string' ? one : outcomeOf(settlements.get(one.url)?.roles, one.look),
      ),
      change: { manifest, added: built ? [built] : [], superseded: this.#superseded, revised: this.#revised },
      vectors,
      ...(this.#superfluous.waste.length > 0 && { superfluous: this.#superfluous }),
      release,
    }
  }

  /** Makes the operations, and the changes of the catalog, that take one URL from its old history to its new one. */
  #carryOut(url: string, settlement: UrlSettlement<Analyzed>, operations: Operation[]): void {
    const { added, ended, revised, dropped, droppedRevisions } = settlement
    this.#urls += Number(settlement.hasCaptures) - Number(settlement.hadCaptures)
    for (const { captureId, first, supersededAt } of ended) this.#supersede(captureId, first.at, supersededAt)
    for (const stretch of added) {
      const { captureId, first, supersededAt } = stretch
      const analyzed = this.#analyzedOf(first, url)
      this.#pending.set(captureId, { captureId, at: first.at, supersededAt, declared: first.declared, analyzed })
    }
    for (const stretch of [...added, ...revised]) this.#revise(stretch, operations)
    for (const { captureId, first } of dropped) this.#drop(captureId, first.at, operations)
    for (const revisionId of droppedRevisions) {
      operations.push({ type: 'del', key: revisionKey(revisionId) })
      this.#superfluous.waste.push(revisionRange(revisionId))
    }
  }

  #supersede(captureId: number, at: number, supersededAt: number): void {
    const { segment, ordinal } = placeOf(this.#catalog, captureId, at)
    this.#superseded.push({ segment: segment.info.id, ordinal, supersededAt })
  }

  /** Takes out a capture that turned out to repeat the text before it. */
  #drop(captureId: number, at: number, operations: Operation[]): void {
    this.#supersede(captureId, at, EXPIRED)
    operations.push({ type: 'del', key: documentKey(captureId) }, { type: 'del', key: bodyKey(captureId) })
    this.#superfluous.captureIds.push(captureId)
    this.#superfluous.waste.push(documentRange(captureId), bodyRange(captureId))
    this.#superfluous.wasteBytes += this.#store.get(bodyKey(captureId))?.length ?? 0
    this.#enterRows({ captureId, acquiredAt: at, rows: [] }, operations)
  }

  /** Writes the revisions of a capture that the index does not have as such, and what a search must know of them all. */
  #revise({ captureId, first, revisions }: Stretch<Analyzed>, operations: Operation[]): void {
    for (const { revisionId, look } of revisions)
      if (look.stored?.role !== 'revision' || look.stored.revisionId !== revisionId)
        operations.push({ type: 'put', key: revisionKey(revisionId), value: this.#encodedRevision(look, first) })
    const pending = this.#pending.get(captureId)
    const language = pending ? captureOf(pending.analyzed).language : readDocument(this.#store, captureId).language
    const searchable = revisions.map(({ look }) => ({
      ...this.#searchableOf(look, language),
      at: look.at,
      declared: look.declared,
    }))
    // Not by the table: a revision of the same millisecond may hide the state of the capture itself there.
    const own = (): Searchable => searchableOf(this.#metadataOf(first), language)
    const rows = revisions.length === 0 ? [] : revisionRows(own(), searchable)
    this.#enterRows({ captureId, acquiredAt: first.at, rows }, operations)
  }

  /** A revision holds its text only where that is written otherwise than the text of its capture. */
  #encodedRevision(look: ContentLook<Analyzed>, first: ContentLook<Analyzed>): Uint8Array {
    const metadata = this.#metadataOf(look)
    return encodeRevision(
      formOf(look.metadata) === formOf(first.metadata) ? metadata : { ...metadata, form: this.#formOf(look) },
    )
  }

  #formOf({ given, stored }: ContentLook<Analyzed>): Form {
    if (given) {
      const { title, bodyStart, bodyEnd } = captureOf(given)
      return { title, markdown: decodeBody(given.group.bodies.subarray(bodyStart, bodyEnd)).markdown }
    }
    if (!stored) throw new TypeError('content is neither given nor stored')
    const { captureId, revisionId } = stored
    const form = revisionId === undefined ? undefined : readRevision(this.#store, revisionId).form
    if (form) return form
    return { title: readDocument(this.#store, captureId).title, markdown: readBody(this.#store, captureId).markdown }
  }

  #enterRows(revised: RevisedCapture, operations: Operation[]): void {
    const { captureId, acquiredAt, rows } = revised
    const key = revisionRowsKey(captureId)
    if (rows.length > 0) operations.push({ type: 'put', key, value: encodeRevisionRows({ acquiredAt, rows }) })
    else if (this.#pending.has(captureId) || !this.#hasRows(captureId, acquiredAt)) return
    else operations.push({ type: 'del', key })
    this.#revised.push(revised)
  }

  #hasRows(captureId: number, acquiredAt: number): boolean {
    const { segment, ordinal } = placeOf(this.#catalog, captureId, acquiredAt)
    return (segment.revisions?.rowAt(ordinal, Number.POSITIVE_INFINITY) ?? -1) >= 0
  }

  #searchableOf(look: ContentLook<Analyzed>, language: string): Searchable {
    const { stored } = look
    if (stored) {
      // Of a page with very many revisions no more than these few fields is read.
      const { segment, ordinal } = placeOf(this.#catalog, stored.captureId, stored.acquiredAt)
      const row = segment.revisions?.rowAt(ordinal, look.at) ?? -1
      if (segment.revisions && row >= 0) {
        const fields = { ...segment.revisions.fields(row), language }
        return { publishedAt: segment.revisions.publishedAt[row], fields }
      }
      return searchableOf(this.#metadataOfCapture(stored), language)
    }
    return searchableOf(this.#metadataOf(look), language)
  }

  #metadataOf({ given, stored }: ContentLook<Analyzed>): Metadata {
    if (given) {
      const { bodyStart, bodyEnd, publishedAt } = captureOf(given)
      const { details } = decodeBody(given.group.bodies.subarray(bodyStart, bodyEnd))
      return { details, ...(publishedAt !== undefined && { publishedAt }) }
    }
    if (!stored) throw new TypeError('content is neither given nor stored')
    if (stored.revisionId === undefined) return this.#metadataOfCapture(stored)
    const { form: _, ...metadata } = readRevision(this.#store, stored.revisionId)
    return metadata
  }

  #metadataOfCapture({ captureId, acquiredAt }: StoredContent): Metadata {
    const { segment, ordinal } = placeOf(this.#catalog, captureId, acquiredAt)
    const publishedAt = segment.columns.publishedAt[ordinal]
    const { details } = readBody(this.#store, captureId)
    return { details, ...(!Number.isNaN(publishedAt) && { publishedAt }) }
  }

  /** Content as it is written to a segment: what the index has of it is analyzed again. */
  #analyzedOf(look: ContentLook<Analyzed>, url: string): Analyzed {
    const { given, stored, fingerprint } = look
    if (given) {
      if (!this.#vectorOf || this.#vectorFor(given)) return given
      const known = this.#records.get(url)?.find(o => o.kind === 'capture' && o.fingerprint === fingerprint)
      return known?.kind === 'capture' ? { ...given, sameAs: known.captureId } : given
    }
    if (!stored) throw new TypeError('content is neither given nor stored')
    const { captureId } = stored
    const { title, markdown } = this.#formOf(look)
    const analyzed = analyzedAgain({ url, title }, { markdown, text: plainText(markdown) }, this.#metadataOf(look))
    return { ...analyzed, sameAs: captureId }
  }

  #vectorFor({ vector, sameAs }: Analyzed): Int8Array | undefined {
    return vector ?? (sameAs === undefined ? undefined : this.#vectorOf?.(sameAs))
  }

  async #enterAliases(operations: Operation[]): Promise<void> {
    const aliases = [...this.#claims]
    for (let from = 0; from < aliases.length; from += ENTRIES_AT_ONCE) {
      const some = aliases.slice(from, from + ENTRIES_AT_ONCE)
      const stored = await this.#store.getMany(some.map(([alias]) => aliasKey(alias)))
      some.forEach(([alias, claims], i) => {
        const record = withClaims(stored[i] ? decodeAliasRecord(stored[i]) : [], claims)
        operations.push({ type: 'put', key: aliasKey(alias), value: encodeAliasRecord(record) })
        for (const url of new Set(claims.map(claim => claim.url)))
          operations.push({ type: 'put', key: aliasOfKey(url, alias), value: new Uint8Array(0) })
      })
    }
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
      if (capture.publishedAt !== undefined) columns.publishedAt[ordinal] = capture.publishedAt
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
      if (ordinal % ENTRIES_AT_ONCE === ENTRIES_AT_ONCE - 1) await yieldToEventLoop()
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

function analyzedAgain(
  { url, title }: Pick<DocumentRecord, 'url' | 'title'>,
  { text, markdown }: Pick<Body, 'text' | 'markdown'>,
  { publishedAt, details }: Metadata,
): Analyzed {
  const builder = new GroupBuilder()
  const capture = { url, aliases: [], title, fingerprint: '', metadata: '' }
  builder.add({ ...capture, ...(publishedAt !== undefined && { publishedAt }) }, { text, markdown, details })
  return { group: builder.finish(), index: 0 }
}

const outcomes = { capture: 'captured', revision: 'revised', sighting: 'unchanged' } as const

/** @param roles - those of the URL's content; content that repeats other content of its millisecond has none. */
function outcomeOf(roles: UrlSettlement<Analyzed>['roles'] | undefined, look: ContentLook<Analyzed>): Outcome {
  return outcomes[roles?.get(look) ?? 'sighting']
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
