import { pipeline } from 'node:stream'
import zlib from 'node:zlib'
import { CrawlError } from '../errors.ts'

/** A step of a stream pipeline. */
export type Stage = NodeJS.ReadWriteStream | ((source: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>)

/** Decodes one content encoding. A stream that ends early is decoded as far as possible, except for zstd. */
export interface Decoding {
  /** Makes a stage that decodes a stream. */
  stage: () => Stage
  /** Decodes a complete body. Fails with `ERR_BUFFER_TOO_LARGE` if the result exceeds `maxBytes`. */
  whole: (bytes: Uint8Array, maxBytes: number) => Uint8Array
}

// Maximum number of encodings. Servers use at most two, and each more would multiply the size of a decompression bomb.
const maxEncodings = 2

const gzipped = { finishFlush: zlib.constants.Z_SYNC_FLUSH }
const brotli = { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH }
// With this chunk size, most pages are decoded into one or two chunks.
const inOneGo = (maxBytes: number) => ({ maxOutputLength: Math.max(1, maxBytes), chunkSize: 64 * 1024 })

const gzip: Decoding = {
  stage: () => zlib.createGunzip(gzipped),
  whole: (bytes, maxBytes) => zlib.gunzipSync(bytes, { ...gzipped, ...inOneGo(maxBytes) }),
}
const decodings: ReadonlyMap<string, Decoding> = new Map([
  ['gzip', gzip],
  ['x-gzip', gzip],
  [
    'br',
    {
      stage: () => zlib.createBrotliDecompress(brotli),
      whole: (bytes, maxBytes) => zlib.brotliDecompressSync(bytes, { ...brotli, ...inOneGo(maxBytes) }),
    },
  ],
  [
    'zstd',
    {
      stage: () => zlib.createZstdDecompress(),
      whole: (bytes, maxBytes) => zlib.zstdDecompressSync(bytes, inOneGo(maxBytes)),
    },
  ],
  [
    'deflate',
    {
      stage: () => inflateEither,
      whole: (bytes, maxBytes) =>
        (isZlib(bytes) ? zlib.inflateSync : zlib.inflateRawSync)(bytes, { ...gzipped, ...inOneGo(maxBytes) }),
    },
  ],
])

/**
 * Returns the decodings for a `Content-Encoding` header in the order of their application. Empty if nothing is encoded.
 *
 * @param header - as received.
 * @throws ASOF_FETCH_UNREACHABLE - an encoding is not supported, or there are more than two.
 */
export function decodingsOf(header: string | undefined): Decoding[] {
  const encodings = (header ?? '')
    .split(',')
    .map(name => name.trim().toLowerCase())
    .filter(name => name !== '' && name !== 'identity')
  if (encodings.length > maxEncodings)
    throw undecodable(`it has ${encodings.length} content encodings, more than the limit of ${maxEncodings}`)
  return encodings.reverse().map(name => {
    const decoding = decodings.get(name)
    if (!decoding) throw undecodable(`the content encoding "${name.slice(0, 40)}" is not supported`)
    return decoding
  })
}

/**
 * True if the first byte is that of zlib. `deflate` means zlib (RFC 9110, 8.4.1.2), but some servers send raw deflate.
 */
function isZlib(bytes: Uint8Array): boolean {
  const [first = 0] = bytes
  return (first & 0x0f) === 8
}

async function* inflateEither(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]()
  const first = await chunks.next()
  if (first.done) return
  const inflate = isZlib(first.value) ? zlib.createInflate(gzipped) : zlib.createInflateRaw(gzipped)
  async function* all(): AsyncGenerator<Uint8Array> {
    for (let next = first; !next.done; next = await chunks.next()) yield next.value
  }
  pipeline(all, inflate, () => {
    // Ignored here, because the reader of `inflate` gets the error.
  })
  yield* inflate
}

/** Returns the error for a body that cannot be decoded. */
export function undecodable(what: string, cause?: unknown): CrawlError {
  return new CrawlError('ASOF_FETCH_UNREACHABLE', `body cannot be decoded: ${what}`, {
    cause,
    details: { reason: 'decoding' },
  })
}
