import { pipeline } from 'node:stream'
import zlib from 'node:zlib'
import { AsofError } from '@asof/core'
import { codeOf, said } from '@asof/extract/errors'
import { CrawlError } from '../errors.ts'

/** A step of a stream pipeline. */
export type Stage = NodeJS.ReadWriteStream | ((source: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>)

/** Decodes one content encoding. Data that ends early is an error, `Z_BUF_ERROR`. */
export interface Decoding {
  /** The first bytes of a body in this encoding: one of these. Empty if it may begin with any bytes. */
  magic: readonly (readonly number[])[]
  /** Makes a stage that decodes a stream. */
  stage: () => Stage
  /** Decodes a complete body. Fails with `ERR_BUFFER_TOO_LARGE` if the result exceeds `maxBytes`. */
  whole: (bytes: Uint8Array, maxBytes: number) => Uint8Array
  /** Decodes the start of a body as far as possible. Fails as `whole` does otherwise. */
  start: (bytes: Uint8Array, maxBytes: number) => Uint8Array
}

// Maximum number of encodings. Servers use at most two, and each more would multiply the size of a decompression bomb.
const MAX_ENCODINGS = 2

// With these, a stream may end anywhere.
const zlibStart = { finishFlush: zlib.constants.Z_SYNC_FLUSH }
const brotliStart = { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH }
const zstdStart = { finishFlush: zlib.constants.ZSTD_e_flush }
// With this chunk size, most pages are decoded into one or two chunks.
const inOneGo = (maxBytes: number) => ({ maxOutputLength: Math.max(1, maxBytes), chunkSize: 64 * 1024 })

const gzip: Decoding = {
  magic: [[0x1f, 0x8b]],
  stage: () => zlib.createGunzip(),
  whole: (bytes, maxBytes) => zlib.gunzipSync(bytes, inOneGo(maxBytes)),
  start: (bytes, maxBytes) => zlib.gunzipSync(bytes, { ...zlibStart, ...inOneGo(maxBytes) }),
}
const zstd: Decoding = {
  // The second frame kind is skippable (RFC 8878, 3.1.2).
  magic: [[0x28, 0xb5, 0x2f, 0xfd], ...Array.from({ length: 16 }, (_, i) => [0x50 + i, 0x2a, 0x4d, 0x18])],
  stage: () => zlib.createZstdDecompress(),
  whole: (bytes, maxBytes) => zlib.zstdDecompressSync(bytes, inOneGo(maxBytes)),
  start: (bytes, maxBytes) => zlib.zstdDecompressSync(bytes, { ...zstdStart, ...inOneGo(maxBytes) }),
}
const decodings: ReadonlyMap<string, Decoding> = new Map([
  ['gzip', gzip],
  ['x-gzip', gzip],
  [
    'br',
    {
      magic: [],
      stage: () => zlib.createBrotliDecompress(),
      whole: (bytes, maxBytes) => zlib.brotliDecompressSync(bytes, inOneGo(maxBytes)),
      start: (bytes, maxBytes) => zlib.brotliDecompressSync(bytes, { ...brotliStart, ...inOneGo(maxBytes) }),
    },
  ],
  ['zstd', zstd],
  [
    'deflate',
    {
      magic: [],
      stage: () => inflateEither,
      whole: (bytes, maxBytes) => inflateSync(bytes, inOneGo(maxBytes)),
      start: (bytes, maxBytes) => inflateSync(bytes, { ...zlibStart, ...inOneGo(maxBytes) }),
    },
  ],
])

/**
 * Returns the decodings of a body in the order of their application, from its `Content-Encoding` and from its first bytes:
 * servers send names that are no encodings (`none`, `UTF-8`), declare encodings that they did not apply, and apply others or
 * none that they declare. Empty if nothing is encoded.
 *
 * @param header - as received. Undefined if the server declares nothing.
 * @param head - the first bytes of the body, up to 64 KiB.
 * @throws ASOF_FETCH_UNREACHABLE - there are more than two encodings.
 * @throws ASOF_UNSUPPORTED_TYPE - the encoding is not supported.
 */
export function decodingsOf(header: string | undefined, head: Uint8Array): readonly Decoding[] {
  const names = (header ?? '')
    .split(',')
    .map(name => name.trim().toLowerCase())
    .filter(name => name !== '' && name !== 'identity')
  if (head.length === 0) return []
  const declared = names.flatMap(name => decodings.get(name) ?? []).reverse()
  if (declared.length > MAX_ENCODINGS)
    throw undecodable(`it has ${declared.length} content encodings, more than the limit of ${MAX_ENCODINGS}`)
  const found = applied(declared, head)
  if (found.length > 0) return withInner(found, head)
  const other = magicDecodingOf(head)
  if (other) return withInner([other], head)
  if (names.length === 0 || isReadable(head)) return []
  if (declared.length === 0)
    throw new AsofError('ASOF_UNSUPPORTED_TYPE', 'the content encoding of the answer is not supported', {
      details: { said: said('Content-Encoding', header ?? '') },
    })
  const unmarked = declared.some(({ magic }) => magic.length > 0) ? decodings.get('br') : undefined
  const start = unmarked && decodedStart(unmarked, head)
  return unmarked && start && start.length > 0 && isReadable(start) ? [unmarked] : declared
}

/** True if a body with these first bytes is compressed, whatever its server declares. */
export function isCompressed(head: Uint8Array): boolean {
  return magicDecodingOf(head) !== undefined
}

function magicDecodingOf(head: Uint8Array): Decoding | undefined {
  return [gzip, zstd].find(({ magic }) => startsWith(head, magic))
}

/** Adds the encoding that a server applied once more than it declares, as an application and its proxy do. */
function withInner(found: readonly Decoding[], head: Uint8Array): readonly Decoding[] {
  const [first] = found
  if (first === undefined || found.length >= MAX_ENCODINGS) return found
  const start = decodedStart(first, head)
  const inner = start && magicDecodingOf(start)
  return inner ? [first, inner] : found
}

/** Returns those of the declared decodings that the server applied. */
function applied(declared: readonly Decoding[], head: Uint8Array): readonly Decoding[] {
  const [first, ...others] = declared
  if (!first || !isApplied(first, head)) return []
  if (others.length === 0) return [first]
  const decoded = decodedStart(first, head)
  return decoded === undefined || decoded.length === 0 ? declared : [first, ...applied(others, decoded)]
}

function isApplied(decoding: Decoding, head: Uint8Array): boolean {
  if (decoding.magic.length > 0) return startsWith(head, decoding.magic)
  const other = magicDecodingOf(head)
  if (other && decodedStart(other, head) !== undefined) return false
  return !(isReadable(head) && (isTextIn(head, 'utf-8') || decodedStart(decoding, head) === undefined))
}

/** Maximum number of bytes that are decoded to see what is inside. */
const MAX_START_BYTES = 1024 * 1024

/** Decodes the start of a body; undefined if it is not in this encoding, or if it decodes to very much. */
function decodedStart({ start }: Decoding, head: Uint8Array): Uint8Array | undefined {
  try {
    return start(head, MAX_START_BYTES)
  } catch (error) {
    if (codeOf(error) !== undefined) return undefined
    throw error
  }
}

function startsWith(head: Uint8Array, magic: readonly (readonly number[])[]): boolean {
  return magic.some(bytes => bytes.every((byte, i) => head[i] === byte))
}

/** Number of bytes from which the type of a body is recognized (WHATWG MIME Sniffing, 5.2). */
const SNIFFED_BYTES = 1445
const documents = ['%PDF-', 'PK\u0003\u0004', '\u00ff\u00fe', '\u00fe\u00ff']

/** True if a body begins like text or a document, and not like encoded data. */
function isReadable(head: Uint8Array): boolean {
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, SNIFFED_BYTES))
  if (documents.some(magic => start.toString('latin1', 0, magic.length) === magic)) return true
  // The binary data bytes of MIME Sniffing, 3.
  return !start.some(byte => byte <= 8 || byte === 11 || (byte >= 14 && byte <= 26) || (byte >= 28 && byte <= 31))
}

/** True if the start of a text is valid in an encoding. It may end inside a character. */
function isTextIn(head: Uint8Array, encoding: string): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(head.subarray(0, SNIFFED_BYTES), { stream: true })
    return true
  } catch (error) {
    if (codeOf(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA') return false
    throw error
  }
}

/**
 * True if the first byte is that of zlib. `deflate` means zlib (RFC 9110, 8.4.1.2), but some servers send raw deflate.
 */
function isZlib(bytes: Uint8Array): boolean {
  const [first = 0] = bytes
  return (first & 0x0f) === 8
}

function inflateSync(bytes: Uint8Array, options: zlib.ZlibOptions): Uint8Array {
  return (isZlib(bytes) ? zlib.inflateSync : zlib.inflateRawSync)(bytes, options)
}

async function* inflateEither(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]()
  const first = await chunks.next()
  if (first.done) return
  const inflate = isZlib(first.value) ? zlib.createInflate() : zlib.createInflateRaw()
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
