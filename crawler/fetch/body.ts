import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { codeOf } from '@asof/extract/errors'
import { CrawlError } from '../errors.ts'
import { type Decoding, decodingsOf, isCompressed, type Stage, undecodable } from './content-encoding.ts'

/** Limits on a response body. */
export interface BodyLimits {
  /** Maximum size of the body as received and, separately, as decoded, bytes. */
  maxBytes: number
  /** True to cut a longer body to its first `maxBytes` decoded bytes, instead of failing. Default false. */
  truncate?: boolean
  /** True if a body that is compressed without any declaration is decoded: it is meant to be read. Default false. */
  isText?: boolean
  /**
   * Called once with the first decoded bytes: at least 1,445, unless the body is shorter. If it throws, reading ends
   * with that error.
   */
  onHead?: (head: Uint8Array) => void
}

/** Number of bytes from which the type of a body is recognized (WHATWG MIME Sniffing, 5.2). */
const HEAD_BYTES = 1445
/** Number of bytes that show whether a body is compressed. */
const MAGIC_BYTES = 4
/** Encoded bodies up to this size are decoded in one call, because a stream would cost more than the decoding. */
const DECODED_WHOLE = 64 * 1024

/**
 * Reads a response body and decodes it (gzip, deflate, br, zstd). Memory is limited even if the decoded body would be
 * huge. A body that ends before its encoding does is invalid, as is one that is shorter than its `Content-Length`.
 *
 * @param contentEncoding - the header as received. What is decoded also depends on the first bytes, see {@link decodingsOf}.
 * @throws ASOF_FETCH_TOO_LARGE - the body is longer than `maxBytes` and `truncate` is not set.
 * @throws ASOF_FETCH_UNREACHABLE - the body is invalid in its encoding.
 * @throws ASOF_UNSUPPORTED_TYPE - the encoding is not supported.
 */
export async function readResponseBody(
  body: Readable,
  contentEncoding: string | undefined,
  limits: BodyLimits,
): Promise<Uint8Array> {
  const { maxBytes, truncate = false, isText = false } = limits
  const decoded = new Gathered(limits)
  try {
    if (contentEncoding === undefined && !isText) await decoded.addAll(body)
    else {
      const rest = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>
      let { chunks, isWhole } = await beginningOf(rest, contentEncoding === undefined ? MAGIC_BYTES : DECODED_WHOLE)
      if (contentEncoding === undefined && !isCompressed(Buffer.concat(chunks)))
        await decoded.addAll(resumed(chunks, rest))
      else {
        if (!isWhole) ({ chunks, isWhole } = await beginningOf(resumed(chunks, rest), DECODED_WHOLE))
        const decodings = decodingsOf(contentEncoding, Buffer.concat(chunks))
        if (isWhole && !truncate) decoded.add(decodeAtOnce(chunks, decodings, maxBytes))
        else await decodeOn(isWhole ? chunks : resumed(chunks, rest), decodings, maxBytes, decoded)
        decoded.end()
      }
    }
  } catch (error) {
    giveUp(body)
    if (!(truncate && decoded.bytes > maxBytes)) throw asDecodingError(error)
    // The limit ended the stream, and the caller wants a cut body.
  }
  const joined = decoded.join()
  return joined.length > maxBytes ? joined.subarray(0, maxBytes) : joined
}

/** Collects decoded bytes. Passes the first ones to `onHead`, and fails beyond the limit. */
class Gathered {
  readonly #limits: BodyLimits
  readonly #chunks: Uint8Array[] = []
  #headPassed: boolean
  bytes = 0

  constructor(limits: BodyLimits) {
    this.#limits = limits
    this.#headPassed = limits.onHead === undefined
  }

  add(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.bytes += chunk.length
    if (this.bytes >= HEAD_BYTES) this.end()
    if (this.bytes > this.#limits.maxBytes) throw tooLarge(this.#limits.maxBytes)
  }

  async addAll(source: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of source) this.add(chunk)
    this.end()
  }

  /** To be called at the end of the body. Passes a short body to `onHead`. */
  end(): void {
    if (this.#headPassed) return
    this.#headPassed = true
    this.#limits.onHead?.(this.join())
  }

  join(): Uint8Array {
    return Buffer.concat(this.#chunks, this.bytes)
  }
}

/** Reads the start of a body: all of a short body, or a little more than `least` bytes. */
async function beginningOf(
  source: AsyncIterator<Uint8Array, undefined>,
  least: number,
): Promise<{ chunks: Uint8Array[]; isWhole: boolean }> {
  const chunks: Uint8Array[] = []
  for (let bytes = 0; bytes <= least; ) {
    const next = await source.next()
    if (next.done) return { chunks, isWhole: true }
    chunks.push(next.value)
    bytes += next.value.length
  }
  return { chunks, isWhole: false }
}

async function* resumed(
  chunks: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array, undefined>,
): AsyncGenerator<Uint8Array> {
  yield* chunks
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

function decodeAtOnce(chunks: readonly Uint8Array[], decodings: readonly Decoding[], maxBytes: number): Uint8Array {
  let bytes: Uint8Array = Buffer.concat(chunks)
  if (bytes.length > maxBytes) throw tooLarge(maxBytes)
  for (const { whole } of decodings) if (bytes.length > 0) bytes = whole(bytes, maxBytes)
  return bytes
}

async function decodeOn(
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  decodings: readonly Decoding[],
  maxBytes: number,
  decoded: Gathered,
): Promise<void> {
  const stages = decodings.map(({ stage }) => stage())
  // The overloads of pipeline() need a fixed number of stages, but the number depends on the header.
  const all = [source, noMoreThan(maxBytes), ...stages, (last: AsyncIterable<Uint8Array>) => decoded.addAll(last)]
  await pipeline(all as unknown as readonly NodeJS.ReadWriteStream[])
}

/** Makes a stage that fails when it has received more than `maxBytes`. */
function noMoreThan(maxBytes: number): Stage {
  return async function* (source) {
    let received = 0
    for await (const chunk of source) {
      received += chunk.length
      if (received > maxBytes) throw tooLarge(maxBytes)
      yield chunk
    }
  }
}

/** Discards the rest of a body. Closes the connection, unless the body was read completely. */
function giveUp(body: Readable): void {
  body.on('error', () => {
    // The error comes from destroy() or was already reported.
  })
  body.destroy()
}

function asDecodingError(error: unknown): unknown {
  const code = codeOf(error) ?? ''
  if (code === 'Z_BUF_ERROR') return undecodable('it ends early, inside its content encoding', error)
  if (code === 'ERR_BUFFER_TOO_LARGE') return tooLarge(undefined)
  if (/^(?:Z_|ERR_BROTLI|ERR__ERROR|ERR_PADDING|ZSTD_|ERR_ZSTD|ERR_ZLIB)/.test(code))
    return undecodable('it is not what its content encoding says', error)
  return error
}

function tooLarge(maxBytes: number | undefined): CrawlError {
  return new CrawlError(
    'ASOF_FETCH_TOO_LARGE',
    maxBytes === undefined ? 'body exceeds the size limit' : `body exceeds the size limit (${maxBytes} bytes)`,
  )
}
