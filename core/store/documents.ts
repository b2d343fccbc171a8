import { constants, zstdCompress, zstdDecompressSync } from 'node:zlib'
import { AsofError } from '../errors.ts'
import type { DatePrecision, DateSource, StructuredItem } from '../page.ts'
import { ByteReader, ByteWriter, expectVersion } from '../segment/byte-buffer.ts'

/** What a result list needs of a capture, small enough to be read for every result. */
export interface DocumentRecord {
  url: string
  title: string
  /** Positions the title takes at the start of the capture's position space. */
  titlePositions: number
  /** Key of the body block that holds the body, and its place there. */
  bodyBlock: number
  bodyIndex: number
}

/** The rest of a capture. */
export interface Body {
  details: BodyDetails
  markdown: string
  /**
   * Pairs of position and UTF-16 offset in the plain text: the first token at or after every {@link SAMPLE_EVERY}th
   * position of the body, so that a snippet tokenises only around its passages.
   */
  samples: Uint32Array
}

export interface BodyDetails {
  author?: string
  description?: string
  lang?: string
  publishedFrom?: { source: DateSource; precision: DatePrecision }
  data?: StructuredItem[]
}

/** Positions between two samples. */
export const SAMPLE_EVERY = 64

/** Bodies are compressed together up to about this many bytes: small pages compress far better in company. */
export const BODY_BLOCK_BYTES = 32 * 1024

const VERSION = 1
/** No body may inflate a read beyond this. */
const MAX_BLOCK_BYTES = 256 * 1024 * 1024

export function encodeDocument(captureId: number, record: DocumentRecord): Uint8Array {
  const writer = new ByteWriter(64 + record.url.length + record.title.length)
  writer.u8(VERSION)
  writer.varint(captureId - record.bodyBlock)
  writer.varint(record.bodyIndex)
  writer.varint(record.titlePositions)
  writer.string(record.url)
  writer.string(record.title)
  return writer.finish()
}

/**
 * @throws ASOF_STORE_CORRUPT
 */
export function decodeDocument(captureId: number, bytes: Uint8Array): DocumentRecord {
  const reader = new ByteReader(bytes)
  expectVersion(reader, VERSION, 'document record')
  const bodyBlock = captureId - reader.varint()
  const bodyIndex = reader.varint()
  const titlePositions = reader.varint()
  return { url: reader.string(), title: reader.string(), titlePositions, bodyBlock, bodyIndex }
}

/** Uncompressed bytes of one body, the unit a block is made of. */
export function encodeBody(body: Body): Uint8Array {
  const writer = new ByteWriter(body.markdown.length + 256)
  writer.string(JSON.stringify(body.details))
  writer.string(body.markdown)
  const { samples } = body
  writer.varint(samples.length)
  for (let i = 0; i < samples.length; i++) writer.varint(samples[i] - (i < 2 ? 0 : samples[i - 2]))
  return writer.finish()
}

/**
 * @throws ASOF_STORE_CORRUPT
 */
export function decodeBody(bytes: Uint8Array): Body {
  const reader = new ByteReader(bytes)
  const details = parsedDetails(reader.string())
  const markdown = reader.string()
  const count = reader.varint()
  // Each takes a byte at least.
  if (count > bytes.length - reader.at) throw new AsofError('ASOF_STORE_CORRUPT', 'a body ends early')
  const samples = new Uint32Array(count)
  for (let i = 0; i < samples.length; i++) samples[i] = reader.varint() + (i < 2 ? 0 : samples[i - 2])
  return { details, markdown, samples }
}

function parsedDetails(json: string): BodyDetails {
  try {
    return JSON.parse(json) as BodyDetails
  } catch (cause) {
    throw new AsofError('ASOF_STORE_CORRUPT', "a body's details are not JSON", { cause })
  }
}

/** A block: version, then zstd over varint n, n × varint length, n bodies. A purged body has length 0. */
export async function encodeBodyBlock(bodies: readonly Uint8Array[]): Promise<Uint8Array> {
  const plain = new ByteWriter(bodies.reduce((total, body) => total + body.length + 4, 16))
  plain.varint(bodies.length)
  for (const body of bodies) plain.varint(body.length)
  for (const body of bodies) plain.raw(body)
  const compressed = await compress(plain.bytes.subarray(0, plain.length))
  const block = new Uint8Array(1 + compressed.length)
  block[0] = VERSION
  block.set(compressed, 1)
  return block
}

/** A window no larger than the block: a stream's own default costs megabytes for each compression under way. */
const WINDOW_LOG = { least: 10, most: 21 } as const

function compress(bytes: Uint8Array): Promise<Uint8Array> {
  const windowLog = Math.min(WINDOW_LOG.most, Math.max(WINDOW_LOG.least, 32 - Math.clz32(bytes.length)))
  return new Promise((resolve, reject) => {
    zstdCompress(
      bytes,
      { params: { [constants.ZSTD_c_windowLog]: windowLog, [constants.ZSTD_c_checksumFlag]: 1 } },
      (error, result) => (error ? reject(error) : resolve(result)),
    )
  })
}

/**
 * @throws ASOF_STORE_CORRUPT
 */
export function decodeBodyBlock(block: Uint8Array): Uint8Array[] {
  expectVersion(new ByteReader(block), VERSION, 'body block')
  let plain: Uint8Array
  try {
    plain = zstdDecompressSync(block.subarray(1), {
      maxOutputLength: MAX_BLOCK_BYTES,
      // Nearly every block fits one piece of output; zlib's own is half of it.
      chunkSize: BODY_BLOCK_BYTES + 4096,
    })
  } catch (cause) {
    throw new AsofError('ASOF_STORE_CORRUPT', "a body block can't be decompressed", { cause })
  }
  const reader = new ByteReader(plain)
  const lengths: number[] = []
  for (let n = reader.varint(); n > 0; n--) lengths.push(reader.varint())
  return lengths.map(length => reader.raw(length))
}
