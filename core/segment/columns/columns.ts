import zlib from 'node:zlib'
import { AsofError } from '@asof/extract/errors'
import { ByteReader, ByteWriter, expectVersion } from '../../bytes/byte-buffer.ts'
import { release } from '../../bytes/memory.ts'

/** The values that every capture of a segment has, by ordinal. */
export interface Columns {
  /** Epoch ms; ascending. */
  acquiredAt: Float64Array
  /** Epoch ms; NaN if unknown. */
  publishedAt: Float64Array
  /**
   * Epoch ms. Infinity while the capture is current; for a tombstone, a value far below every instant. Only this column changes after the
   * segment is written.
   */
  supersededAt: Float64Array
  /** Weighted length in terms, as the ranking model counts it. */
  lengths: Uint32Array
  captureIds: Uint32Array
  /** 1 if the caller gave `acquiredAt`, 0 if it is the instant of the addition. */
  declared: Uint8Array
}

export type ColumnName = keyof Columns

/** Chunk numbers of the columns stream: part of the on-disk format. */
export const columnOrder: readonly ColumnName[] = [
  'acquiredAt',
  'publishedAt',
  'supersededAt',
  'lengths',
  'captureIds',
  'declared',
]

/** Columns in which neighbors have similar values. They are stored as differences, which compress far better. */
const differenced: ReadonlySet<ColumnName> = new Set(['acquiredAt', 'captureIds'])

const VERSION = 1

/** Memory that all threads that read the index share. */
const shared = (bytes: number): SharedArrayBuffer => new SharedArrayBuffer(bytes)

interface ColumnArray<N extends ColumnName> {
  new (count: number): Columns[N]
  new (memory: SharedArrayBuffer): Columns[N]
  BYTES_PER_ELEMENT: number
}

const arrays: { [N in ColumnName]: ColumnArray<N> } = {
  acquiredAt: Float64Array,
  publishedAt: Float64Array,
  supersededAt: Float64Array,
  lengths: Uint32Array,
  captureIds: Uint32Array,
  declared: Uint8Array,
}

/** The initial values of columns for which they are not 0. */
const unknown: { [N in ColumnName]?: number } = { publishedAt: Number.NaN, supersededAt: Number.POSITIVE_INFINITY }

/** A column in which every capture is current, undated and empty. */
export function createColumn<N extends ColumnName>(name: N, count: number): Columns[N] {
  const Values: ColumnArray<N> = arrays[name]
  // The column that changes is not shared: every thread applies the changes at its own pace.
  const values = name === 'supersededAt' ? new Values(count) : new Values(shared(count * Values.BYTES_PER_ELEMENT))
  const initial = unknown[name]
  if (initial !== undefined) values.fill(initial)
  return values
}

/** A column that is not shared, so that this thread can {@link release} it. */
export function createOwnColumn<N extends ColumnName>(name: N, count: number): Columns[N] {
  return new arrays[name](count)
}

export function createColumns(count: number): Columns {
  return {
    acquiredAt: createColumn('acquiredAt', count),
    publishedAt: createColumn('publishedAt', count),
    supersededAt: createColumn('supersededAt', count),
    lengths: createColumn('lengths', count),
    captureIds: createColumn('captureIds', count),
    declared: createColumn('declared', count),
  }
}

/** One column as a stored value: version, then its zstd-compressed little-endian bytes. */
export function encodeColumn<N extends ColumnName>(name: N, values: Columns[N]): Uint8Array<ArrayBuffer> {
  let stored: Columns[ColumnName] = values
  if (differenced.has(name)) {
    stored = values.slice()
    for (let i = stored.length - 1; i > 0; i--) stored[i]! -= stored[i - 1]!
  }
  const writer = new ByteWriter(64)
  writer.u8(VERSION)
  writer.varint(values.length)
  const bytes = new Uint8Array(stored.buffer, stored.byteOffset, stored.byteLength)
  writer.raw(zlib.zstdCompressSync(bytes, { params: { [zlib.constants.ZSTD_c_checksumFlag]: 1 } }))
  if (stored !== values) release(stored)
  return writer.finish()
}

/**
 * @param count - the expected number of entries. Default: any number.
 * @param create - makes the array that the column is decoded into.
 * @throws ASOF_STORE_CORRUPT - the value does not hold `count` entries.
 */
export function decodeColumn<N extends ColumnName>(
  name: N,
  bytes: Uint8Array,
  count?: number,
  create: (name: N, count: number) => Columns[N] = createColumn,
): Columns[N] {
  const reader = new ByteReader(bytes)
  expectVersion(reader, VERSION, `column ${name}`)
  const held = reader.varint()
  if (count !== undefined && held !== count) throw wrongCount(name, count)
  const values = create(name, held)
  const raw = inflate(name, reader.raw(bytes.length - reader.at), values.byteLength)
  if (raw.length !== values.byteLength) throw wrongCount(name, held)
  new Uint8Array(values.buffer).set(raw)
  release(raw)
  if (differenced.has(name)) for (let i = 1; i < values.length; i++) values[i]! += values[i - 1]!
  return values
}

function wrongCount(name: ColumnName, count: number): AsofError {
  return new AsofError('ASOF_STORE_CORRUPT', `column ${name} does not hold ${count} entries`)
}

/** The smallest `chunkSize` that Node's zlib accepts, bytes. */
const MIN_CHUNK = 64

function inflate(name: ColumnName, bytes: Uint8Array, maxBytes: number): Uint8Array {
  try {
    // A chunk for the whole output, so that zlib need not join several; with room to spare, or zlib would allocate
    // another one to find the end.
    return zlib.zstdDecompressSync(bytes, { maxOutputLength: Math.max(1, maxBytes), chunkSize: maxBytes + MIN_CHUNK })
  } catch (cause) {
    throw new AsofError('ASOF_STORE_CORRUPT', `column ${name} can't be decompressed`, { cause })
  }
}
