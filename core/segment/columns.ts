import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { AsofError } from '../errors.ts'
import { ByteReader, ByteWriter, expectVersion } from './byte-buffer.ts'

/** Bits of {@link Columns.flags}. */
export const CaptureFlag = { declared: 1 } as const

/** What is known of every capture of a segment, by ordinal. */
export interface Columns {
  /** Epoch ms; ascending. */
  acquiredAt: Float64Array
  /** Epoch ms; NaN when unknown. */
  publishedAt: Float64Array
  /** Epoch ms; Infinity while current, far below every instant once purged or retired. The one column that changes after the segment is written. */
  supersededAt: Float64Array
  /** Weighted length in terms, as the ranking model counts it. */
  lengths: Uint32Array
  captureIds: Uint32Array
  /** {@link CaptureFlag} bits. */
  flags: Uint8Array
}

export type ColumnName = keyof Columns

/** Chunk numbers of the columns stream: part of the on-disk format. */
export const columnOrder: readonly ColumnName[] = [
  'acquiredAt',
  'publishedAt',
  'supersededAt',
  'lengths',
  'captureIds',
  'flags',
]

/** Columns whose neighbours are close: stored as differences, which compress far better. */
const differenced: ReadonlySet<ColumnName> = new Set(['acquiredAt', 'captureIds'])

const VERSION = 1

/** Memory that all threads which read the index have in common. */
const shared = (bytes: number): SharedArrayBuffer => new SharedArrayBuffer(bytes)

/** What changes is not shared: every thread follows the changes at its own pace. */
const create: { [N in ColumnName]: (count: number) => Columns[N] } = {
  acquiredAt: count => new Float64Array(shared(count * 8)),
  publishedAt: count => new Float64Array(shared(count * 8)).fill(Number.NaN),
  supersededAt: count => new Float64Array(count).fill(Number.POSITIVE_INFINITY),
  lengths: count => new Uint32Array(shared(count * 4)),
  captureIds: count => new Uint32Array(shared(count * 4)),
  flags: count => new Uint8Array(shared(count)),
}

/** A column in which every capture is current, undated and empty. */
export function createColumn<N extends ColumnName>(name: N, count: number): Columns[N] {
  return create[name](count)
}

export function createColumns(count: number): Columns {
  return {
    acquiredAt: createColumn('acquiredAt', count),
    publishedAt: createColumn('publishedAt', count),
    supersededAt: createColumn('supersededAt', count),
    lengths: createColumn('lengths', count),
    captureIds: createColumn('captureIds', count),
    flags: createColumn('flags', count),
  }
}

/** One column as a stored value: version, then its zstd-compressed little-endian bytes. */
export function encodeColumn<N extends ColumnName>(name: N, values: Columns[N]): Uint8Array<ArrayBuffer> {
  let stored: Columns[ColumnName] = values
  if (differenced.has(name)) {
    stored = values.slice()
    for (let i = stored.length - 1; i > 0; i--) stored[i] -= stored[i - 1]
  }
  const writer = new ByteWriter(64)
  writer.u8(VERSION)
  writer.varint(values.length)
  const bytes = new Uint8Array(stored.buffer, stored.byteOffset, stored.byteLength)
  writer.raw(zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 } }))
  return writer.finish()
}

/**
 * @param count - how many entries there must be; absent when that is not known.
 * @throws ASOF_STORE_CORRUPT - the value does not hold `count` entries.
 */
export function decodeColumn<N extends ColumnName>(name: N, bytes: Uint8Array, count?: number): Columns[N] {
  const reader = new ByteReader(bytes)
  expectVersion(reader, VERSION, `column ${name}`)
  const held = reader.varint()
  if (count !== undefined && held !== count) throw wrongCount(name, count)
  const values = createColumn(name, held)
  const raw = inflate(name, reader.raw(bytes.length - reader.at), values.byteLength)
  if (raw.length !== values.byteLength) throw wrongCount(name, held)
  new Uint8Array(values.buffer).set(raw)
  if (differenced.has(name)) for (let i = 1; i < values.length; i++) values[i] += values[i - 1]
  return values
}

function wrongCount(name: ColumnName, count: number): AsofError {
  return new AsofError('ASOF_STORE_CORRUPT', `column ${name} does not hold ${count} entries`)
}

function inflate(name: ColumnName, bytes: Uint8Array, maxBytes: number): Uint8Array {
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: Math.max(1, maxBytes) })
  } catch (cause) {
    throw new AsofError('ASOF_STORE_CORRUPT', `column ${name} can't be decompressed`, { cause })
  }
}
