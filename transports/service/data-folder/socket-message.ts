import type { Socket } from 'node:net'
import path from 'node:path'
import { type AddReport, AsofError, type CaptureInput, type ErrorCode, isAsofError } from '@asof/core'
import { type FieldProblem, ServiceError, type WireErrorName } from '../index.ts'

/**
 * What goes over the local socket: one operation per connection, one JSON document per line.
 *
 * The client sends an {@link Operation}, for `add` followed by `{ capture }` lines and `{ end: true }`; `{ abort: true }`
 * asks a crawl to stop after the batch in hand. The server sends `{ begun: true }`, any number of `{ progress }` lines, then one of
 * `{ result }` and `{ error }`, and closes. Both ends are the same package, so there is no version to negotiate.
 */
export interface Operation {
  op:
    | 'search'
    | 'check'
    | 'suggest'
    | 'page'
    | 'versions'
    | 'timeline'
    | 'history'
    | 'add'
    | 'seen'
    | 'remove'
    | 'purge'
    | 'stats'
    | 'embed'
    | 'backup'
    | 'crawl'
    | 'readLive'
    | 'administer'
    | 'payments'
    | 'exportPayments'
    | 'readPage'
    | 'recordFeedback'
    | 'exportFeedback'
  args: unknown[]
}

/** What the client may send after its operation. */
export interface ClientLine {
  capture?: WireCapture
  end?: true
  abort?: true
}

export interface ServerLine {
  /** The first line of every answer: the operation was taken on. */
  begun?: true
  progress?: unknown
  result?: unknown
  error?: WireFailure
}

/** Where the holder of a data folder listens. */
export function socketPath(dir: string): string {
  return path.join(dir, 'asof.sock')
}

/** The JSON documents of a stream, line by line; ends with the stream, throws what it throws. */
export async function* readLines<T>(socket: Socket): AsyncGenerator<T, void, undefined> {
  let pending: Buffer[] = []
  // A line that is no JSON ends the reading, not the connection: the sender is told why.
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      pending.push(chunk.subarray(start, end))
      yield JSON.parse(Buffer.concat(pending).toString('utf8')) as T
      pending = []
      start = end + 1
    }
    pending.push(chunk.subarray(start))
  }
}

/** Sends one line. Returns false when the other end is behind and the sender should wait for `drain`. */
export function sendLine(socket: Socket, line: Operation | ClientLine | ServerLine): boolean {
  return socket.write(`${JSON.stringify(line)}\n`)
}

/** Sends one line, and resolves when the other end has caught up or is gone. */
export async function sendPaced(socket: Socket, line: ServerLine): Promise<void> {
  if (sendLine(socket, line) || socket.destroyed) return
  await new Promise<void>(resolve => {
    const goOn = () => {
      socket.off('drain', goOn).off('close', goOn)
      resolve()
    }
    socket.on('drain', goOn).on('close', goOn)
  })
}

type Body = string | Uint8Array
type WireBody = string | { base64: string }

/** A capture whose bytes are base64. */
export type WireCapture = Omit<CaptureInput, 'html' | 'markdown' | 'text'> & {
  html?: WireBody
  markdown?: WireBody
  text?: WireBody
}

function encodeBody(body: Body): WireBody {
  return typeof body === 'string' ? body : { base64: Buffer.from(body).toString('base64') }
}

function decodeBody(body: WireBody): Body {
  return typeof body === 'string' ? body : Buffer.from(body.base64, 'base64')
}

export function encodeCapture(capture: CaptureInput): WireCapture {
  const { html, markdown, text, ...rest } = capture
  return {
    ...rest,
    ...(html === undefined ? {} : { html: encodeBody(html) }),
    ...(markdown === undefined ? {} : { markdown: encodeBody(markdown) }),
    ...(text === undefined ? {} : { text: encodeBody(text) }),
  }
}

export function decodeCapture(wire: WireCapture): CaptureInput {
  const { html, markdown, text, ...rest } = wire
  return {
    ...rest,
    ...(html === undefined ? {} : { html: decodeBody(html) }),
    ...(markdown === undefined ? {} : { markdown: decodeBody(markdown) }),
    ...(text === undefined ? {} : { text: decodeBody(text) }),
  }
}

/** A failure with what its kind needs to be the same failure at the other end. */
export interface WireFailure {
  message: string
  code?: ErrorCode
  details?: Readonly<Record<string, unknown>>
  service?: { kind: WireErrorName; details?: readonly FieldProblem[]; retryAfterSeconds?: number }
}

/** An {@link AddReport} on the socket. */
export interface WireAddReport extends Omit<AddReport, 'failed'> {
  failed: { url: string; error: WireFailure }[]
}

export function encodeFailure(failure: unknown): WireFailure {
  if (failure instanceof ServiceError) {
    const { kind, message, details, retryAfterSeconds } = failure
    return {
      message,
      service: {
        kind,
        ...(details === undefined ? {} : { details }),
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      },
    }
  }
  if (isAsofError(failure)) {
    const { message, code, details } = failure
    return { message, code, ...(details === undefined ? {} : { details }) }
  }
  return { message: failure instanceof Error ? failure.message : String(failure) }
}

export function decodeFailure({ message, code, details, service }: WireFailure): Error {
  if (service) {
    const { kind, ...options } = service
    return new ServiceError(kind, message, options)
  }
  return code === undefined ? new Error(message) : new AsofError(code, message, details ? { details } : {})
}
