import { pipeline } from 'node:stream'
import zlib from 'node:zlib'
import { AsofError } from '@asof/core'

/** One step of a pipeline of streams. */
export type Stage = NodeJS.ReadWriteStream | ((source: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>)

/** How a content encoding is undone. What its stream broke off is decoded as far as it goes, but for zstd. */
export interface Decoding {
  stage: () => Stage
  /** Decodes what is all there; fails with `ERR_BUFFER_TOO_LARGE` when it is more than `maxBytes`. */
  whole: (bytes: Uint8Array, maxBytes: number) => Uint8Array
}

// Nobody honest stacks more; each one would multiply what a bomb can hold.
const maxEncodings = 2

const gzipped = { finishFlush: zlib.constants.Z_SYNC_FLUSH }
const brotli = { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH }
// A page comes out in one piece or two.
const inOneGo = (maxBytes: number) => ({ maxOutputLength: Math.max(1, maxBytes), chunkSize: 64 * 1024 })

const gzip: Decoding = {
  stage: () => zlib.createGunzip(gzipped),
  whole: (bytes, maxBytes) => zlib.gunzipSync(bytes, { ...gzipped, ...inOneGo(maxBytes) }),
}
const known: ReadonlyMap<string, Decoding> = new Map([
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
 * How a `Content-Encoding` is undone, the last encoding first; empty for none.
 *
 * @param header - as received; `undefined` and `identity` leave the bytes alone.
 * @throws ASOF_FETCH_UNREACHABLE - an encoding nobody asked for, or more than two.
 */
export function decodingsOf(header: string | undefined): Decoding[] {
  const encodings = (header ?? '')
    .split(',')
    .map(name => name.trim().toLowerCase())
    .filter(name => name !== '' && name !== 'identity')
  if (encodings.length > maxEncodings) throw undecodable(`${encodings.length} content encodings`)
  return encodings.reverse().map(name => {
    const decoding = known.get(name)
    if (!decoding) throw undecodable(`content encoding "${name.slice(0, 40)}"`)
    return decoding
  })
}

/** `deflate` means zlib (RFC 9110, 8.4.1.2), but some servers send raw deflate: the first byte tells them apart. */
function isZlib(bytes: Uint8Array): boolean {
  return (bytes[0]! & 0x0f) === 8
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
    // Whoever reads what is inflated gets the failure.
  })
  yield* inflate
}

/** The failure of a body that is not what its encoding says. */
export function undecodable(what: string, cause?: unknown): AsofError {
  return new AsofError('ASOF_FETCH_UNREACHABLE', `body cannot be decoded: ${what}`, {
    cause,
    details: { reason: 'decoding' },
  })
}
