import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { AsofError, isAsofError } from '@asof/core'
import type { EngineOperation } from './operations.ts'
import { decodeFailure, http, lineOf, readLines, type ServerLine } from './socket-message.ts'

/** What an operation sends and receives while it runs. */
export interface CallOptions {
  /** Items to send after the operation, no faster than the other process reads them. */
  items?: Iterable<unknown> | AsyncIterable<unknown> | undefined
  /** Called with progress. The next line is read when the returned promise resolves. */
  onProgress?: ((progress: never) => void | Promise<void>) | undefined
  /** Asks the operation to stop after its current commit. The call then resolves with what was done. */
  signal?: AbortSignal | undefined
  /** Time without any answer after which the call fails, ms. Default: none. */
  silenceMs?: number
}

/** Length of the lines with items that are sent as one part of a request, if they come at once, UTF-16 units. */
const SENT_TOGETHER = 16 * 1024

/** Keeps connections open between the calls of this process. */
const agent = new http.Agent({ keepAlive: true })

/**
 * Returns the error for an operation that had not started when its process ended. It can safely be sent to another
 * process.
 */
function notBegun(cause: unknown): AsofError {
  return new AsofError('ASOF_CLOSED', 'The process that held the data folder has stopped; run the command again.', {
    cause,
    details: { begun: false },
  })
}

/** True if a call failed before its operation had started. */
export function isNotBegun(error: unknown): boolean {
  return isAsofError(error, 'ASOF_CLOSED') && error.details?.begun === false
}

/** True if a process answers at the socket. The socket file of a killed process refuses connections. */
export async function answersAt(path: string): Promise<boolean> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** Sends the line of an operation. Resolves when it has started. */
async function begin(request: ClientRequest, line: string, isWhole: boolean): Promise<IncomingMessage> {
  const answered = once(request, 'response')
  // What ends the connection later is seen where the answer is read.
  request.on('error', () => {})
  if (isWhole) request.end(line)
  else request.write(line)
  try {
    const [response] = (await answered) as [IncomingMessage]
    return response
  } catch (cause) {
    throw notBegun(cause)
  }
}

async function readAnswer(response: IncomingMessage, onProgress: CallOptions['onProgress']): Promise<unknown> {
  for await (const line of readLinesFrom(response)) {
    if (line.error) throw decodeFailure(line.error)
    if (line.done) return line.result
    await onProgress?.(line.progress as never)
  }
  throw stopped()
}

async function* readLinesFrom(response: IncomingMessage): AsyncGenerator<ServerLine> {
  try {
    yield* readLines<ServerLine>(response.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)
  } catch (cause) {
    throw stopped(cause)
  } finally {
    // The end of the answer, which follows its last line, leaves the connection to the next call.
    response.resume()
  }
}

function stopped(cause?: unknown): AsofError {
  const message = 'The process that held the data folder stopped before it answered; run the command again.'
  return new AsofError('ASOF_CLOSED', message, { cause })
}

/** Sends items and the line behind the last one, until the answer has come. */
async function sendItems(
  request: ClientRequest,
  items: NonNullable<CallOptions['items']>,
  answer: Promise<unknown>,
): Promise<void> {
  let isAnswered = false
  const end = () => {
    isAnswered = true
  }
  // The caller of `callRemote` gets the failure of an answer. Here it only ends the sending.
  const answered = answer.then(end, end)
  let lines = ''
  /** Returns false if the other process must read before more is sent. */
  const flush = () => {
    const isReady = request.write(lines)
    lines = ''
    return isReady
  }
  for await (const item of items) {
    if (isAnswered) return
    // Items that come one by one are not held back.
    if (lines === '') setImmediate(flush)
    lines += lineOf({ item })
    if (lines.length < SENT_TOGETHER || flush()) continue
    await Promise.race([once(request, 'drain').catch(() => answered), answered])
  }
  lines += lineOf({ end: true })
  flush()
}

/**
 * Runs an operation in the process that has the data folder open.
 *
 * @returns the result as JSON; undefined if there is none.
 * @throws the error of the operation, with its class and code.
 * @throws ASOF_CLOSED - that process ended. {@link isNotBegun} tells whether the operation had started.
 */
export async function callRemote(
  path: string,
  operation: EngineOperation,
  { items, onProgress, signal, silenceMs }: CallOptions = {},
): Promise<unknown> {
  // Throws for what JSON cannot have, before anything is sent.
  const line = lineOf(operation)
  const request = http.request({ socketPath: path, method: 'POST', agent, timeout: silenceMs })
  request.on('timeout', () => request.destroy())
  const isWhole = !items && !signal
  const stop = () => request.write(lineOf({ stop: true }))
  try {
    const response = await begin(request, line, isWhole)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
    const answer = readAnswer(response, onProgress)
    // Items are sent only when the operation has started. They can be read only once, so they could not be sent to another process.
    if (items) await Promise.all([answer, sendItems(request, items, answer)])
    return await answer
  } finally {
    signal?.removeEventListener('abort', stop)
    // A whole request leaves its connection to the next call.
    if (!isWhole) request.destroy()
  }
}
