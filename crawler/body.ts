import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { AsofError } from '../core/index.ts'

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

// Nobody honest stacks more; each one would multiply what a bomb can hold.
const maxEncodings = 2

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
  const encodings = (contentEncoding ?? '')
    .split(',')
    .map(name => name.trim().toLowerCase())
    .filter(name => name !== '' && name !== 'identity')
  if (encodings.length > maxEncodings) throw undecodable(`${encodings.length} content encodings`)
  const decoders = encodings.reverse().map(name => decoder(name, limits))

  const chunks: Uint8Array[] = []
  let total = 0
  let received = 0
  const count = (bytes: number) => {
    received = bytes
  }
  let looked = limits.onHead === undefined
  const look = () => {
    looked = true
    limits.onHead?.(Buffer.concat(chunks, total))
  }
  const collect = async (source: AsyncIterable<Uint8Array>) => {
    for await (const chunk of source) {
      chunks.push(chunk)
      total += chunk.length
      if (!looked && total >= headBytes) look()
      if (total > limits.maxBytes) throw tooLarge(limits.maxBytes)
    }
    if (!looked) look()
  }
  try {
    // A pipeline for one stream would cost more than the reading.
    if (decoders.length === 0) await collect(body)
    else {
      // The list of stages is as long as the header says, which the typed overloads of pipeline cannot express.
      const stages = [body, countReceived(limits, count), ...decoders, collect]
      await pipeline(stages as unknown as readonly NodeJS.ReadWriteStream[])
    }
  } catch (error) {
    if (!(limits.truncate && total > limits.maxBytes)) throw asDecodingError(error)
    // The rest was not wanted: the stream was stopped by our own limit.
  }
  if (total === 0 && received > 0 && received < wholeGzipBytes && /gzip/i.test(contentEncoding ?? ''))
    throw undecodable('a gzip header broken off')
  const joined = Buffer.concat(chunks, total)
  return joined.length > limits.maxBytes ? joined.subarray(0, limits.maxBytes) : joined
}

type Stage = NodeJS.ReadWriteStream | ((source: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>)

function countReceived({ maxBytes }: BodyLimits, count: (received: number) => void): Stage {
  return async function* (source) {
    let received = 0
    for await (const chunk of source) {
      received += chunk.length
      if (received > maxBytes) throw tooLarge(maxBytes)
      count(received)
      yield chunk
    }
  }
}

function decoder(encoding: string, limits: BodyLimits): Stage {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip({ finishFlush: zlib.constants.Z_SYNC_FLUSH })
    case 'br':
      return zlib.createBrotliDecompress({ finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH })
    case 'zstd':
      return zlib.createZstdDecompress()
    case 'deflate':
      return inflateEither(limits)
    default:
      throw undecodable(`content encoding "${encoding.slice(0, 40)}"`)
  }
}

/** `deflate` means zlib (RFC 9110, 8.4.1.2), but some servers send raw deflate: the first byte tells them apart. */
function inflateEither({ maxBytes }: BodyLimits): Stage {
  return async function* (source) {
    const chunks: Uint8Array[] = []
    for await (const chunk of source) chunks.push(chunk)
    const whole = Buffer.concat(chunks)
    if (whole.length === 0) return
    const inflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(
      (whole[0]! & 0x0f) === 8 ? zlib.inflate : zlib.inflateRaw,
    )
    yield await inflate(whole, { finishFlush: zlib.constants.Z_SYNC_FLUSH, maxOutputLength: maxBytes + 1 })
  }
}

function asDecodingError(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ERR_BUFFER_TOO_LARGE') return tooLarge(undefined)
  if (/^(?:Z_|ERR_BROTLI|ERR__ERROR|ERR_PADDING|ZSTD_|ERR_ZSTD|ERR_ZLIB)/.test(code)) return undecodable(code, error)
  return error
}

function tooLarge(maxBytes: number | undefined): AsofError {
  return new AsofError('ASOF_FETCH_TOO_LARGE', `body over ${maxBytes ?? 'the limit of'} bytes`)
}

function undecodable(what: string, cause?: unknown): AsofError {
  return new AsofError('ASOF_FETCH_UNREACHABLE', `body cannot be decoded: ${what}`, {
    cause,
    details: { reason: 'decoding' },
  })
}
