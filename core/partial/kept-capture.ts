import { type CaptureSpan, resolveRecord } from '../history/resolve-history.ts'
import { analyzeStored } from '../ingest/analyze-stored.ts'
import { buildCommitSegment } from '../ingest/commit-segment.ts'
import type { Columns } from '../segment/columns/columns.ts'
import type { PostingCache } from '../segment/posting-cache.ts'
import { Segment } from '../segment/segment.ts'
import type { SegmentInfo } from '../segment/segment-writer.ts'
import type { ChunkSource } from '../segment/streams.ts'
import type { TermVector } from '../segment/term-vector.ts'
import { newIdentity } from '../store/identity.ts'
import { chunkKey, revisionKey, revisionRowsKey, urlKey } from '../store/keys.ts'
import { emptyManifest } from '../store/manifest.ts'
import { BodyPackReader } from '../store/records/body-pack.ts'
import {
  type BodyParts,
  type DocumentHead,
  decodeHead,
  decodeStoredBody,
  decodeTermVector,
  encodedParts,
} from '../store/records/documents.ts'
import { decodeRevisionRows } from '../store/records/revision-record.ts'
import { decodeUrlRecord } from '../store/records/url-record.ts'
import { followChange } from '../store/snapshots/catalog.ts'
import type { Operation } from '../store/store.ts'
import { buildUnpacked } from './build-unpacked.ts'

/** What a whole index has stored of a capture. What of it never changes is left out if the caller has it. */
export interface StoredCapture {
  captureId: number
  url: string
  /** The publish date that the capture itself has, epoch ms. */
  publishedAt: number | undefined
  /** The history of the URL; undefined if it has none any more. */
  record: Uint8Array | undefined
  /** The rows of its revisions; undefined if it has none. */
  rows: Uint8Array | undefined
  document: Uint8Array | undefined
  /** The pack with its body, and no other one. */
  body: Uint8Array | undefined
}

/** Until when what is known of the history of a capture is all there is, see {@link KeptCapture.isKnown}. */
export interface KnownUntil {
  /** Number of changes of the whole index that changed what it was as of instants before them. */
  rewrites: number
  /** No other change changes what the index was as of this instant, or before it. Epoch ms. */
  instant: number
}

/** The capture that a segment of its own has, from when until when it was current, and what changed it since. */
interface KeptHistory {
  record: Uint8Array
  rows: Uint8Array | undefined
  revisions: readonly [key: Uint8Array, value: Uint8Array][]
  segment: Segment
}

/** Added to the number of a capture it is that of its segment, so that no segment that a part makes itself has the same one. */
const FIRST_SEGMENT = 2 ** 31

/** Measured memory of a kept capture besides its bytes: its columns, its segment and the parts of its dictionary. */
const OVERHEAD_BYTES = 6_000

/**
 * A capture in memory, analyzed, in a segment of its own. Its text never changes. Its history does: what was read of it is true as of
 * the instants that {@link isKnown} names.
 */
export class KeptCapture {
  readonly captureId: number
  readonly url: string
  readonly head: DocumentHead
  readonly body: BodyParts
  /** Memory that it takes. */
  readonly bytes: number
  readonly #document: Uint8Array
  readonly #info: SegmentInfo
  readonly #columns: Columns
  readonly #chunks: ChunkSource
  readonly #cache: PostingCache
  #history: KeptHistory | undefined
  #until: KnownUntil = { rewrites: -1, instant: Number.NEGATIVE_INFINITY }

  private constructor(
    { captureId, url, document }: StoredCapture & { document: Uint8Array },
    { body, bytes }: { body: BodyParts; bytes: number },
    built: { info: SegmentInfo; columns: Columns; chunks: ReadonlyMap<string, Uint8Array> },
    cache: PostingCache,
  ) {
    this.captureId = captureId
    this.url = url
    this.#document = document
    this.head = decodeHead(document)
    this.body = body
    this.#info = built.info
    this.#columns = ownColumns(built.columns)
    this.#chunks = { get: (stream, chunk) => built.chunks.get(`${stream} ${chunk}`)! }
    this.#cache = cache
    const chunkBytes = [...built.chunks.values()].reduce((sum, { length }) => sum + length, 0)
    this.bytes = OVERHEAD_BYTES + document.length + bytes + chunkBytes
  }

  /**
   * Analyzes a capture.
   *
   * @param cache - for the posting lists of its segment.
   * @returns undefined if the whole index lacks a part of it: it was deleted meanwhile.
   */
  static async of(stored: StoredCapture, cache: PostingCache): Promise<KeptCapture | undefined> {
    const { captureId, document, publishedAt } = stored
    const span = spanOf(stored)
    if (!document || !stored.body || !span) return undefined
    const pack = new BodyPackReader(captureId, stored.body)
    const encoded = pack.isLong ? undefined : pack.encoded(captureId)
    const body = encoded ? encodedParts(encoded) : pack.body(captureId)
    if (!body) return undefined
    const { texts } = decodeHead(document)
    const whole = decodeStoredBody(body, texts.values)
    const metadata = { details: whole.details, ...(publishedAt !== undefined && { publishedAt }) }
    const analyzed = analyzeStored(texts, whole, metadata, newIdentity().analyzer)
    const { at, declared } = span.first
    const pending = { captureId, at, supersededAt: Number.POSITIVE_INFINITY, declared, analyzed }
    const { info, columns, operations } = await buildCommitSegment(FIRST_SEGMENT + captureId, [pending], buildUnpacked)
    const chunks = new Map(operations.flatMap(operation => chunkOf(operation) ?? []))
    const bytes = encoded?.length ?? stored.body.length
    return new KeptCapture({ ...stored, document }, { body, bytes }, { info, columns, chunks }, cache)
  }

  get termVector(): TermVector {
    return decodeTermVector(this.#document)
  }

  /** True if what is known of the history is all there is as of an instant, and as of those before it. */
  isKnown({ rewrites, instant }: KnownUntil): boolean {
    return this.#history !== undefined && this.#until.rewrites === rewrites && instant <= this.#until.instant
  }

  /** The keys of the revisions that are not known yet of a history. */
  revisionsToRead(stored: StoredCapture): Uint8Array[] {
    if (this.#isSame(stored)) return []
    return spanOf(stored)?.revisions.map(({ revisionId }) => revisionKey(revisionId)) ?? []
  }

  /**
   * Enters the history as it was read. Searches that began before keep the segment that they have.
   *
   * @param revisions - the values of {@link revisionsToRead}.
   * @returns false if the history does not have the capture any more.
   */
  enter(stored: StoredCapture, revisions: readonly [Uint8Array, Uint8Array][], until: KnownUntil): boolean {
    this.#until = until
    if (this.#isSame(stored)) return true
    const { record, rows } = stored
    const span = spanOf(stored)
    if (!record || !span) return false
    this.#history = { record, rows, revisions, segment: this.#segment(span, rows) }
    return true
  }

  /** The segment with the capture alone. */
  get segment(): Segment {
    return this.#known.segment
  }

  /** The stored values of its history. */
  get values(): Operation[] {
    const { record, rows, revisions } = this.#known
    const put = (key: Uint8Array, value: Uint8Array): Operation => ({ type: 'put', key, value })
    return [
      put(urlKey(this.url), record),
      ...(rows ? [put(revisionRowsKey(this.captureId), rows)] : []),
      ...revisions.map(([key, value]) => put(key, value)),
    ]
  }

  get #known(): KeptHistory {
    if (!this.#history) throw new Error('a capture is shown whose history was not read')
    return this.#history
  }

  #isSame({ record, rows }: StoredCapture): boolean {
    const known = this.#history
    return known !== undefined && isEqual(known.record, record) && isEqual(known.rows, rows)
  }

  #segment({ captureId, supersededAt }: CaptureSpan<unknown>, rows: Uint8Array | undefined): Segment {
    const columns = { ...this.#columns, supersededAt: Float64Array.of(supersededAt) }
    const catalog = { identity: newIdentity(), manifest: emptyManifest, segments: [] }
    const change = {
      manifest: { ...emptyManifest, segments: [this.#info] },
      added: [{ info: this.#info, columns }],
      superseded: [],
      revised: rows ? [{ captureId, ...decodeRevisionRows(rows) }] : [],
    }
    const open = (info: SegmentInfo): Segment => new Segment(info, columns, this.#chunks, this.#cache)
    return followChange(catalog, change, open).segments[0]!
  }
}

function spanOf({ captureId, record }: StoredCapture): CaptureSpan<unknown> | undefined {
  return record && resolveRecord(decodeUrlRecord(record)).spans.find(span => span.captureId === captureId)
}

/** The chunk of a segment that an operation writes. */
function chunkOf(operation: Operation): [[string, Uint8Array]] | undefined {
  if (operation.type !== 'put') return undefined
  const { key, value } = operation
  const [kind] = chunkKey(0, 0, 0)
  if (key[0] !== kind) return undefined
  const view = new DataView(key.buffer, key.byteOffset)
  return [[`${key[5]} ${view.getUint32(6)}`, value]]
}

/** Columns that no other thread shares, because shared memory of a few bytes costs far more than these. */
function ownColumns({ acquiredAt, publishedAt, supersededAt, lengths, captureIds, declared }: Columns): Columns {
  return {
    acquiredAt: Float64Array.from(acquiredAt),
    publishedAt: Float64Array.from(publishedAt),
    supersededAt: Float64Array.from(supersededAt),
    lengths: Uint32Array.from(lengths),
    captureIds: Uint32Array.from(captureIds),
    declared: Uint8Array.from(declared),
  }
}

function isEqual(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (!a || !b) return a === b
  return Buffer.compare(a, b) === 0
}
