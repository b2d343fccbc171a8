import { AsofError } from '@asof/extract/errors'
import { ByteReader, ByteWriter, expectVersion } from '../../bytes/byte-buffer.ts'
import { type BodyParts, type BodySizes, readSizes, writeSizes } from './documents.ts'
import { readPacked, skipPacked, writePacked } from './packed.ts'

/**
 * A pack holds the bodies of captures with successive numbers. They are compressed together, because that takes less
 * time and space. The number of a pack is that of its first capture. The document record of a capture stores the
 * distance of the capture's number from its pack's. Layout of a pack:
 *
 *   version, varint number of bodies
 *   for each body: varint number of its capture − number of the pack, sizes of its parts, see `encodeBody`
 *   frames: the parts of all bodies, compressed by `writePacked`
 *
 * A pack has one frame, except that each piece of a very long text has a frame of its own.
 */
const VERSION = 1
/**
 * Maximum number of uncompressed bytes in a pack with more than one body. To read one body, the whole pack is
 * decompressed. For 8 KiB that takes twice as long as for a page of 2 KB alone.
 */
const PACK_BYTES = 8 * 1024
/** The greatest difference between the numbers of two captures in a pack. It fits into a byte. */
const MAX_AFTER = 255

/** A body that `encodeBody` wrote. */
export interface EncodedBody {
  captureId: number
  bytes: Uint8Array
}

/** A value to store under `bodyKey(number)`. */
export interface BodyPack {
  number: number
  captureIds: number[]
  bytes: Uint8Array<ArrayBuffer>
}

/**
 * Packs bodies.
 *
 * @param bodies - in ascending order of the numbers of their captures.
 */
export function* packBodies(bodies: Iterable<EncodedBody>): Generator<BodyPack, void> {
  let pack: EncodedBody[] = []
  let packBytes = 0
  for (const body of bodies) {
    const first = pack[0]
    if (first && (packBytes + body.bytes.length > PACK_BYTES || body.captureId - first.captureId > MAX_AFTER)) {
      yield packed(pack)
      pack = []
      packBytes = 0
    }
    pack.push(body)
    packBytes += body.bytes.length
  }
  if (pack.length > 0) yield packed(pack)
}

function packed(bodies: readonly EncodedBody[]): BodyPack {
  const number = bodies[0]!.captureId
  return { number, captureIds: bodies.map(({ captureId }) => captureId), bytes: encodePack(number, bodies) }
}

/** The memory in which the parts of a pack are joined. */
const joined = new ByteWriter(2 * PACK_BYTES)

function encodePack(number: number, bodies: readonly EncodedBody[]): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter(PACK_BYTES)
  out.u8(VERSION)
  out.varint(bodies.length)
  const contents = bodies.map(({ captureId, bytes }) => {
    const reader = new ByteReader(bytes)
    const { pieces } = readSizes(reader)
    out.varint(captureId - number)
    out.raw(bytes.subarray(0, reader.at))
    return { pieces, content: bytes.subarray(reader.at) }
  })
  joined.clear()
  for (const { pieces, content } of contents) {
    let at = 0
    // The last piece of the text shares a frame with the other parts of the body and with the next bodies, because they have much in common.
    for (const size of pieces.slice(0, -1)) {
      joined.raw(content.subarray(at, at + size))
      writeFrame(out)
      at += size
    }
    joined.raw(content.subarray(at))
  }
  writeFrame(out)
  return out.finish()
}

function writeFrame(out: ByteWriter): void {
  if (joined.length > 0) writePacked(joined.bytes.subarray(0, joined.length), out)
  joined.clear()
}

/** Reads the bodies of a pack. A frame is decompressed when a part of it is needed. */
export class BodyPackReader {
  readonly #bytes: Uint8Array
  /** By capture: the sizes of the parts of its body, and the offset of the first part in the decompressed frames. */
  readonly #bodies = new Map<number, BodySizes & { from: number }>()
  /** By frame: its offset in the pack, and the end of its bytes among all decompressed bytes. */
  readonly #frames: { at: number; end: number }[] = []
  #opened: { frame: number; bytes: Uint8Array } | undefined

  /** @throws ASOF_STORE_CORRUPT */
  constructor(number: number, bytes: Uint8Array) {
    const reader = new ByteReader(bytes)
    expectVersion(reader, VERSION, 'pack of bodies')
    this.#bytes = bytes
    let from = 0
    for (let count = reader.varint(); count > 0; count--) {
      const captureId = number + reader.varint()
      const sizes = readSizes(reader)
      this.#bodies.set(captureId, { ...sizes, from })
      from = sizes.pieces.reduce((at, size) => at + size, from + sizes.rest)
    }
    for (let end = 0; !reader.done; ) {
      const { at } = reader
      end += skipPacked(reader)
      this.#frames.push({ at, end })
    }
    if ((this.#frames.at(-1)?.end ?? 0) !== from) throw corrupt()
  }

  /** The captures whose bodies the pack has, ascending. */
  get captureIds(): number[] {
    return [...this.#bodies.keys()]
  }

  /** True if the pack has one long body, of which parts can be decompressed alone. */
  get isLong(): boolean {
    return this.#frames.length > 1
  }

  /** Returns the body of a capture; undefined if the pack does not have it. */
  body(captureId: number): BodyParts | undefined {
    const body = this.#bodies.get(captureId)
    if (!body) return undefined
    const { pieces, rest, counts, from } = body
    const ends: number[] = []
    for (const size of pieces) ends.push((ends.at(-1) ?? from) + size)
    const restAt = ends.at(-1) ?? from
    return {
      count: pieces.length,
      counts,
      piece: index => this.#range(ends[index]! - pieces[index]!, ends[index]!),
      rest: () => this.#range(restAt, restAt + rest),
    }
  }

  /** Returns the body of a capture as `encodeBody` wrote it; undefined if the pack does not have it. */
  encoded(captureId: number): Uint8Array<ArrayBuffer> | undefined {
    const sizes = this.#bodies.get(captureId)
    const parts = this.body(captureId)
    if (!sizes || !parts) return undefined
    const out = new ByteWriter(PACK_BYTES)
    writeSizes(sizes, out)
    for (let index = 0; index < parts.count; index++) out.raw(parts.piece(index))
    out.raw(parts.rest())
    return out.finish()
  }

  /** Returns a part, which lies in one frame. */
  #range(from: number, to: number): Uint8Array {
    if (from === to) return new Uint8Array(0)
    const frame = this.#frames.findIndex(({ end }) => end > from)
    const start = frame <= 0 ? 0 : this.#frames[frame - 1]!.end
    if (frame < 0 || to > this.#frames[frame]!.end) throw corrupt()
    if (this.#opened?.frame !== frame)
      this.#opened = { frame, bytes: readPacked(new ByteReader(this.#bytes, this.#frames[frame]!.at)) }
    return this.#opened.bytes.subarray(from - start, to - start)
  }
}

/**
 * Returns a pack without the bodies of some captures; undefined if no body is left.
 *
 * @throws ASOF_STORE_CORRUPT
 */
export function withoutBodies(
  number: number,
  bytes: Uint8Array,
  deleted: ReadonlySet<number>,
): Uint8Array<ArrayBuffer> | undefined {
  const reader = new BodyPackReader(number, bytes)
  const kept = reader.captureIds.filter(captureId => !deleted.has(captureId))
  if (kept.length === 0) return undefined
  return encodePack(
    number,
    kept.map(captureId => ({ captureId, bytes: reader.encoded(captureId)! })),
  )
}

function corrupt(): AsofError {
  return new AsofError('ASOF_STORE_CORRUPT', 'the parts of a pack of bodies do not fit its bytes')
}
