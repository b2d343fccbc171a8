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

/** The stored values of a capture of a whole index. `document` and `body` never change; they are left out if the caller has them already. */
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
  /** The pack that has the body of this capture, and no other body. */
  body: Uint8Array | undefined
}

/** Says as of which instants a history that was read is complete, see {@link KeptCapture.isKnown}. */
export interface KnownUntil {
  /** Number of changes so far that changed what the whole index was as of instants before them, such as declared history. */
  rewrites: number
  /** All other changes leave the index as it was as of this instant and earlier ones. Epoch ms. */
  instant: number
}

/** The history of a capture as it was read, and a segment with only this capture, made from the history. */
interface KeptHistory {
  record: Uint8Array
  rows: Uint8Array | undefined
  revisions: readonly [key: Uint8Array, value: Uint8Array][]
  segment: Segment
}

/** The segment of a capture has the number of the capture plus this one. So it differs from the segments that a part makes itself. */
const FIRST_SEGMENT = 2 ** 31

/** Measured memory of a kept capture besides its bytes: its columns, its segment and the parts of its dictionary. */
const OVERHEAD_BYTES = 6_000

/**
 * A capture in memory, analyzed, in a segment of its own. Its text never changes, but its history does. {@link isKnown} says as of which
 * instants the history that was read is complete.
 */
export class KeptCapture {
  readonly captureId: number
  readonly url: string
  readonly head: DocumentHead
  readonly body: BodyParts
  /** Memory that the capture takes, bytes. */
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
   * @returns undefined if a part of the capture is missing, because it was deleted meanwhile.
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
    const analyzed = analyzeStored(texts, whole, { publishedAt, details: whole.details }, newIdentity().analyzer)
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

  /** True if the history that was read is complete as of an instant, and as of all earlier ones. */
  isKnown({ rewrites, instant }: KnownUntil): boolean {
    return this.#history !== undefined && this.#until.rewrites === rewrites && instant <= this.#until.instant
  }

  /** Returns the keys of the revisions that {@link enter} needs. None if the history is the one that was entered last. */
  revisionsToRead(stored: StoredCapture): Uint8Array[] {
    if (this.#isSame(stored)) return []
    return spanOf(stored)?.revisions.map(({ revisionId }) => revisionKey(revisionId)) ?? []
  }

  /**
   * Takes over the history as it was read. Searches that have already begun keep their segment, which has the earlier history.
   *
   * @param revisions - the keys of {@link revisionsToRead} with their values.
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

  /** A segment with only this capture. */
  get segment(): Segment {
    return this.#known.segment
  }

  /** The stored values of its history. */
  get values(): Operation[] {
    const { record, rows, revisions } = this.#known
    const put = (key: Uint8Array, value: Uint8Array): Operation => ({ type: 'put', key, value })
    const values = [put(urlKey(this.url), record)]
    if (rows) values.push(put(revisionRowsKey(this.captureId), rows))
    return values.concat(revisions.map(([key, value]) => put(key, value)))
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

/** Returns the chunk of a segment that an operation writes; undefined if it writes something else. */
function chunkOf(operation: Operation): [[string, Uint8Array]] | undefined {
  if (operation.type !== 'put') return undefined
  const { key, value } = operation
  const [kind] = chunkKey(0, 0, 0)
  if (key[0] !== kind) return undefined
  const view = new DataView(key.buffer, key.byteOffset)
  return [[`${key[5]} ${view.getUint32(6)}`, value]]
}

/** Copies columns to memory that is not shared with other threads. Shared memory takes far more than the few bytes of these columns. */
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
