import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { AsofError, isAsofError } from '@asof/core'
import type { EngineOperation } from './operations.ts'
import { type ClientLine, decodeFailure, readLines, type ServerLine, sendLine } from './socket-message.ts'

/** What an operation sends and receives while it runs. */
export interface CallOptions {
  /** Lines to send after the operation, no faster than the other process reads them. */
  lines?: AsyncIterable<ClientLine>
  /** Called with progress. The next line is read when the returned promise resolves. */
  onProgress?: ((progress: never) => void | Promise<void>) | undefined
  /** Asks the operation to stop after its current commit. The call then resolves with what was done. */
  signal?: AbortSignal | undefined
  /** Time without any answer after which the call fails, ms. Default: none. */
  silenceMs?: number
}

/**
 * Returns the error for an operation that had not started when its process ended. It can safely be sent to another
 * process.
 */
function notBegun(cause?: unknown): AsofError {
  return new AsofError('ASOF_CLOSED', 'The process that held the data folder has stopped; run the command again.', {
    cause,
    details: { begun: false },
  })
}

/** True if a call failed before its operation had started. */
export function isNotBegun(error: unknown): boolean {
  return isAsofError(error, 'ASOF_CLOSED') && error.details?.begun === false
}

/**
 * Connects to a socket.
 *
 * @throws ASOF_CLOSED - no process listens at it. {@link isNotBegun} is true for this error.
 */
async function connectTo(path: string): Promise<Socket> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
  } catch (cause) {
    throw notBegun(cause)
  }
  return socket
}

/** True if a process answers at the socket. The socket file of a killed process refuses connections. */
export async function answersAt(path: string): Promise<boolean> {
  try {
    const socket = await connectTo(path)
    socket.destroy()
    return true
  } catch {
    return false
  }
}

async function readAnswer(
  socket: Socket,
  onBegun: () => void,
  onProgress: CallOptions['onProgress'],
): Promise<unknown> {
  let begun = false
  for await (const line of readLinesFrom(socket, () => begun)) {
    if (line.begun) {
      begun = true
      onBegun()
      continue
    }
    if (line.error) throw decodeFailure(line.error)
    if (line.done) return line.result
    await onProgress?.(line.progress as never)
  }
  if (!begun) throw notBegun()
  throw new AsofError(
    'ASOF_CLOSED',
    'The process that held the data folder stopped before it answered; run the command again.',
  )
}

/** Yields the lines of an answer. If the connection breaks before the first line, the operation had not started. */
async function* readLinesFrom(socket: Socket, hasBegun: () => boolean): AsyncGenerator<ServerLine> {
  try {
    yield* readLines<ServerLine>(socket)
  } catch (error) {
    throw hasBegun() ? error : notBegun(error)
  }
}

async function sendLines(socket: Socket, lines: AsyncIterable<ClientLine>, answer: Promise<unknown>): Promise<void> {
  let answered = false
  const settled = answer.then(
    () => {
      answered = true
    },
    () => {
      // The caller of `callRemote` gets the error. This handler only ends the sending of lines.
      answered = true
    },
  )
  for await (const line of lines) {
    if (answered) return
    if (!sendLine(socket, line)) await Promise.race([once(socket, 'drain'), settled])
  }
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
  options: CallOptions = {},
): Promise<unknown> {
  const socket = await connectTo(path)
  if (options.silenceMs !== undefined) socket.setTimeout(options.silenceMs, () => socket.destroy(notBegun()))
  const abort = () => sendLine(socket, { abort: true })
  try {
    sendLine(socket, operation)
    if (options.signal?.aborted) abort()
    else options.signal?.addEventListener('abort', abort, { once: true })
    const { promise: begun, resolve: onBegun } = Promise.withResolvers<void>()
    const answer = readAnswer(socket, onBegun, options.onProgress)
    if (options.lines) {
      // Lines are sent only when the operation has started. They can be read only once, so they could not be sent to
      // another process.
      await Promise.race([begun, answer])
      await Promise.all([answer, sendLines(socket, options.lines, answer)])
    }
    return await answer
  } finally {
    options.signal?.removeEventListener('abort', abort)
    socket.destroy()
  }
}
