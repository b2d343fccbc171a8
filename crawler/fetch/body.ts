import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AsofError } from '@asof/core'
import { type Decoding, decodingsOf, type Stage, undecodable } from './content-encoding.ts'

/** Limits on a response body. */
export interface BodyLimits {
  /** Bytes allowed, counted both as received and as decoded. */
  maxBytes: number
  /** Keeps the first `maxBytes` decoded bytes of a longer body and drops the rest, where the default is to fail. */
  truncate?: boolean
  /** Looks at the first decoded bytes, at least five of them unless there are no more; what it throws ends the reading. */
  onHead?: (head: Uint8Array) => void
}

const headBytes = 5
/** Of a gzip stream of nothing; of a shorter one nothing can have arrived. */
const wholeGzipBytes = 18
/** An encoded body of up to so many bytes is decoded when it is there: streams cost more than most pages take to decode. */
const decodedWhole = 64 * 1024

/**
 * Reads a response body and undoes its content encodings (gzip, deflate, br, zstd), never holding more than the
 * limit, whatever the body expands to. A body cut off inside a gzip, deflate or br stream yields what arrived.
 *
 * @param contentEncoding - the header as received; `undefined` and `identity` leave the bytes alone.
 * @throws ASOF_FETCH_TOO_LARGE - longer than `maxBytes`, unless `truncate` is set.
 * @throws ASOF_FETCH_UNREACHABLE - an encoding nobody asked for, or a body that is not what its encoding says.
 */
export async function readBody(
  body: Readable,
  contentEncoding: string | undefined,
  limits: BodyLimits,
): Promise<Uint8Array> {
  const decodings = decodingsOf(contentEncoding)
  const { maxBytes, truncate = false } = limits
  const decoded = new Gathered(limits)
  let received = 0
  try {
    if (decodings.length === 0) await decoded.takeAll(body)
    else {
      const rest = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>
      const { chunks, isWhole } = await beginningOf(rest)
      received = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
      if (isWhole && !truncate) decoded.take(decodedAtOnce(chunks, decodings, maxBytes))
      else await decodeOn(isWhole ? chunks : resumed(chunks, rest), decodings, maxBytes, decoded)
      decoded.end()
    }
  } catch (error) {
    giveUp(body)
    if (!(truncate && decoded.bytes > maxBytes)) throw asDecodingError(error)
    // The rest was not wanted: the stream was stopped by our own limit.
  }
  if (decoded.bytes === 0 && received > 0 && received < wholeGzipBytes && /gzip/i.test(contentEncoding ?? ''))
    throw undecodable('it ends inside a gzip header')
  const joined = decoded.joined()
  return joined.length > maxBytes ? joined.subarray(0, maxBytes) : joined
}

/** Decoded bytes, looked at as soon as there are enough of them and never many more than are allowed. */
class Gathered {
  readonly #limits: BodyLimits
  readonly #chunks: Uint8Array[] = []
  #looked: boolean
  bytes = 0

  constructor(limits: BodyLimits) {
    this.#limits = limits
    this.#looked = limits.onHead === undefined
  }

  take(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.bytes += chunk.length
    if (this.bytes >= headBytes) this.end()
    if (this.bytes > this.#limits.maxBytes) throw tooLarge(this.#limits.maxBytes)
  }

  async takeAll(source: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of source) this.take(chunk)
    this.end()
  }

  /** Nothing more comes: what there is has to do for a head. */
  end(): void {
    if (this.#looked) return
    this.#looked = true
    this.#limits.onHead?.(this.joined())
  }

  joined(): Uint8Array {
    return Buffer.concat(this.#chunks, this.bytes)
  }
}

/** What comes first: all, or a little more than is decoded whole. */
async function beginningOf(
  source: AsyncIterator<Uint8Array, undefined>,
): Promise<{ chunks: Uint8Array[]; isWhole: boolean }> {
  const chunks: Uint8Array[] = []
  for (let bytes = 0; bytes <= decodedWhole; ) {
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

function decodedAtOnce(chunks: readonly Uint8Array[], decodings: readonly Decoding[], maxBytes: number): Uint8Array {
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
  // The list of stages is as long as the header says, which the typed overloads of pipeline cannot express.
  const all = [source, noMoreThan(maxBytes), ...stages, (last: AsyncIterable<Uint8Array>) => decoded.takeAll(last)]
  await pipeline(all as unknown as readonly NodeJS.ReadWriteStream[])
}

/** Fails when more is received. */
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

/** Ends a body of which no more is wanted, with its connection unless it was read to its end. */
function giveUp(body: Readable): void {
  body.on('error', () => {
    // It comes of the end that was put to it, or is known already.
  })
  body.destroy()
}

function asDecodingError(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ERR_BUFFER_TOO_LARGE') return tooLarge(undefined)
  if (/^(?:Z_|ERR_BROTLI|ERR__ERROR|ERR_PADDING|ZSTD_|ERR_ZSTD|ERR_ZLIB)/.test(code))
    return undecodable('it is not what its content encoding says', error)
  return error
}

function tooLarge(maxBytes: number | undefined): AsofError {
  return new AsofError(
    'ASOF_FETCH_TOO_LARGE',
    maxBytes === undefined ? 'body exceeds the size limit' : `body exceeds the size limit (${maxBytes} bytes)`,
  )
}
