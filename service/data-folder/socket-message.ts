import type { Socket } from 'node:net'
import path from 'node:path'
import { AsofError, type CaptureInput, isAsofError, type ObservationInput } from '@asof/core'
import { messageOf } from '@asof/extract/errors'
import { type FieldProblem, type Said, ServiceError, type WireErrorName } from '../index.ts'

/*
 * The protocol of the local socket: one operation per connection, one JSON document per line.
 *
 * The client sends an `EngineOperation`. For `add` it then sends `{ observation }` lines and `{ end: true }`; for the deletion of a
 * list of pages `{ url }` lines and `{ end: true }`.
 * `{ abort: true }` asks the operation to stop; a crawl stops after its current commit. The server sends
 * `{ begun: true }`, any number of `{ progress }` lines, and then `{ done: true, result }` or `{ error }`, and closes
 * the connection. There are no versions, because both ends are the same package. A `Date` is written as
 * a marked string, see `encodeValue`.
 */

/** A line from the client after its operation. */
export interface ClientLine {
  observation?: WireObservation
  url?: string
  end?: true
  abort?: true
}

/** A line of the server's answer. */
export interface ServerLine {
  /** In the first line of each answer: the operation has started. */
  begun?: true
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
export async function* readLines<T>(socket: Socket): AsyncGenerator<T, void, undefined> {
  let pending: Buffer[] = []
  // If a line is not JSON, reading ends but the connection stays open, so that the sender can receive the error.
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
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

/** Sends one line. Returns false if the buffer is full and the sender should wait for `drain`. */
export function sendLine(socket: Socket, line: object): boolean {
  return socket.write(`${JSON.stringify(line, encodeValue)}\n`)
}

/** The first character of a string that stands for a `Date`, and of an encoded string that begins with this character. */
const MARK = '\0'

/** Encodes a `Date`, which is a value of a field of the type instant. JSON alone would turn it into a keyword. */
function encodeValue(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const given = this[key]
  if (given instanceof Date) return `${MARK}d${given.getTime()}`
  return typeof value === 'string' && value.startsWith(MARK) ? `${MARK}s${value}` : value
}

function decodeLine(text: string): unknown {
  // JSON writes the mark only in this form. Without it there is nothing to decode.
  return text.includes('\\u0000') ? JSON.parse(text, decodeValue) : JSON.parse(text)
}

function decodeValue(_: string, value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith(MARK)) return value
  return value[1] === 'd' ? new Date(Number(value.slice(2))) : value.slice(2)
}

/** Sends one line. Resolves when the buffer has room again or the connection is closed. */
export async function sendPaced(socket: Socket, line: ServerLine): Promise<void> {
  if (sendLine(socket, line) || socket.destroyed) return
  await new Promise<void>(resolve => {
    const proceed = () => {
      socket.off('drain', proceed).off('close', proceed)
      resolve()
    }
    socket.on('drain', proceed).on('close', proceed)
  })
}

type Body = string | Uint8Array
type WireBody = string | { base64: string }

/** An observation on the socket. A body of bytes is encoded in base64. */
export type WireObservation =
  | Exclude<ObservationInput, CaptureInput>
  | (Omit<CaptureInput, Bodies> & { [Name in Bodies]?: WireBody })

const bodies = ['html', 'markdown', 'text'] as const
type Bodies = (typeof bodies)[number]

function encodeBody(body: Body): WireBody {
  return typeof body === 'string' ? body : { base64: Buffer.from(body).toString('base64') }
}

function decodeBody(body: WireBody): Body {
  return typeof body === 'string' ? body : Buffer.from(body.base64, 'base64')
}

export function encodeObservation(observation: ObservationInput): WireObservation {
  return withBodies(observation as CaptureInput, encodeBody)
}

export function decodeObservation(wire: WireObservation): ObservationInput {
  return withBodies(wire as Extract<WireObservation, { html?: WireBody }>, decodeBody)
}

/** Returns a copy of a capture with its body converted. */
function withBodies<From, To, T extends { [Name in Bodies]?: From }>(
  given: T,
  convert: (body: From) => To,
): Omit<T, Bodies> & { [Name in Bodies]?: To } {
  const converted = bodies.flatMap(name => (given[name] === undefined ? [] : [[name, convert(given[name])] as const]))
  return { ...given, ...(Object.fromEntries(converted) as { [Name in Bodies]?: To }) }
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
