import type { ServerResponse } from 'node:http'
import path from 'node:path'
import { AsofError, isAsofError } from '@asof/core'
import { messageOf } from '@asof/extract/errors'
import { type FieldProblem, type Said, ServiceError, type WireErrorName } from '../index.ts'

/*
 * The protocol of the local socket: HTTP, one operation per request, with one JSON document per line in both directions.
 *
 * The body of a request is an `EngineOperation`, and then, if the operation takes items (observations or URLs), a line
 * `{ item }` for each and `{ end: true }`. A line `{ stop: true }` asks the operation to stop; a crawl stops after its current
 * commit. So the body stays open until the answer ends, unless the caller can neither send items nor stop.
 * The answer begins when the operation has started. It has any number of `{ progress }` lines, and then `{ done: true, result }` or
 * `{ error }`. There are no versions, because both ends are the same package. Values that JSON does not have are marked
 * strings, see `encodeValue`.
 */

/** Node's HTTP. An import of it would load its WebSocket too, which takes 25 ms of every command. */
export const http = process.getBuiltinModule('node:http')

/** A line from the client after its operation. */
export interface ClientLine {
  item?: unknown
  end?: true
  stop?: true
}

/** A line of the server's answer. */
export interface ServerLine {
  progress?: unknown
  /** In the last line of an answer that succeeded, together with `result`. */
  done?: true
  result?: unknown
  error?: WireFailure
}

/** Returns the path of the socket at which a data folder is served. */
export function socketPath(dir: string): string {
  return path.join(dir, 'asof.sock')
}

/** Yields the JSON documents of a stream, one per line. Throws the errors of the stream. */
export async function* readLines<T>(chunks: AsyncIterable<Buffer>): AsyncGenerator<T, void, undefined> {
  let pending: Buffer[] = []
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      pending.push(chunk.subarray(start, end))
      yield decodeLine(Buffer.concat(pending).toString('utf8')) as T
      pending = []
      start = end + 1
    }
    pending.push(chunk.subarray(start))
  }
}

/** Returns a document as one line. */
export function lineOf(document: object): string {
  return `${JSON.stringify(document, encodeValue)}\n`
}

/** The first character of a string that stands for a value that JSON does not have, and of an encoded string that begins with this character. */
const MARK = '\0'

/** Encodes a `Date`, which is a value of a field of the type instant, and bytes, which are the body of a capture. */
function encodeValue(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const given = this[key]
  if (given instanceof Date) return `${MARK}d${given.getTime()}`
  if (given instanceof Uint8Array)
    return `${MARK}b${Buffer.from(given.buffer, given.byteOffset, given.length).toString('base64')}`
  return typeof value === 'string' && value.startsWith(MARK) ? `${MARK}s${value}` : value
}

function decodeLine(text: string): unknown {
  // JSON writes the mark only in this form. Without it there is nothing to decode.
  return text.includes('\\u0000') ? JSON.parse(text, decodeValue) : JSON.parse(text)
}

function decodeValue(_: string, value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith(MARK)) return value
  const rest = value.slice(2)
  if (value[1] === 'd') return new Date(Number(rest))
  return value[1] === 'b' ? Buffer.from(rest, 'base64') : rest
}

/**
 * Sends one line. Resolves when the buffer has room again or the connection is closed. Throws at once, and does not reject, if JSON cannot
 * have the line: callers need not wait.
 */
export function sendPaced(response: ServerResponse, line: ServerLine): Promise<void> {
  if (response.destroyed || response.write(lineOf(line))) return Promise.resolve()
  return new Promise(resolve => {
    const proceed = () => {
      response.off('drain', proceed).off('close', proceed)
      resolve()
    }
    response.on('drain', proceed).on('close', proceed)
  })
}

/** An error on the socket, from which the other end can create the same error. */
export interface WireFailure {
  message: string
  /** Present for errors of the engine and the crawler. */
  asof?: Pick<AsofError, 'code' | 'statusCode' | 'retryable' | 'details'>
  service?: { kind: WireErrorName; details?: readonly FieldProblem[]; said?: Said; retryAfterSeconds?: number }
}

export function encodeFailure(failure: unknown): WireFailure {
  if (failure instanceof ServiceError) {
    const { kind, message, details, said, retryAfterSeconds } = failure
    return { message, service: { kind, details, said, retryAfterSeconds } }
  }
  if (isAsofError(failure)) {
    const { message, code, statusCode, retryable, details } = failure
    return { message, asof: { code, statusCode, retryable, details } }
  }
  return { message: messageOf(failure) }
}

export function decodeFailure({ message, asof, service }: WireFailure): Error {
  if (service) {
    const { kind, ...options } = service
    return new ServiceError(kind, message, options)
  }
  return asof ? new AsofError(asof.code, message, asof) : new Error(message)
}
