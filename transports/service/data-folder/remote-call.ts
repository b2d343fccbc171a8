import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { AsofError, isAsofError } from '@asof/core'
import {
  type ClientLine,
  decodeFailure,
  type Operation,
  readLines,
  type ServerLine,
  sendLine,
} from './socket-message.ts'

/** What an operation may send and hear while it runs. */
export interface CallOptions {
  /** Lines that follow the operation; sent no faster than the other end takes them. */
  lines?: AsyncIterable<ClientLine>
  /** What the other end does meanwhile waits for the promise, where it paces itself. */
  onProgress?: (progress: unknown) => void | Promise<void>
  /** Asks the other end to stop after the batch in hand; the call then resolves with what was done. */
  signal?: AbortSignal
}

/** The operation was not taken on: it may be tried again, where whoever holds the folder by then is asked. */
function notBegun(cause?: unknown): AsofError {
  return new AsofError('ASOF_CLOSED', 'The process that held the data folder has stopped; run the command again.', {
    cause,
    details: { begun: false },
  })
}

/** Whether a call failed before the holder of the data folder took its operation on. */
export function isNotBegun(error: unknown): boolean {
  return isAsofError(error, 'ASOF_CLOSED') && error.details?.begun === false
}

/** @throws ASOF_CLOSED - nobody is there, {@link isNotBegun}. */
async function connected(path: string): Promise<Socket> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
  } catch (cause) {
    throw notBegun(cause)
  }
  return socket
}

/** Whether somebody answers at the socket: a file left behind by a dead process refuses. */
export async function answersAt(path: string): Promise<boolean> {
  try {
    const socket = await connected(path)
    socket.destroy()
    return true
  } catch {
    // Whatever keeps us from connecting, the caller's next step is the same: nobody is there.
    return false
  }
}

interface AnswerHandlers {
  onBegun: () => void
  onProgress: CallOptions['onProgress']
}

async function readAnswer(socket: Socket, { onBegun, onProgress }: AnswerHandlers): Promise<unknown> {
  let begun = false
  for await (const line of readLinesFrom(socket, () => begun)) {
    if (line.begun) {
      begun = true
      onBegun()
      continue
    }
    if (line.error) throw decodeFailure(line.error)
    if ('result' in line) return line.result
    await onProgress?.(line.progress)
  }
  if (!begun) throw notBegun()
  throw new AsofError(
    'ASOF_CLOSED',
    'The process that held the data folder stopped before it answered; run the command again.',
  )
}

/** The lines of an answer. A connection that breaks before the first of them broke before the operation was taken on. */
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
      // The failure is the call's own outcome and reported there; here it only ends the sending.
      answered = true
    },
  )
  for await (const line of lines) {
    if (answered) return
    if (!sendLine(socket, line)) await Promise.race([once(socket, 'drain'), settled])
  }
}

/**
 * Runs one operation at the holder of the data folder.
 *
 * @returns its result as JSON; `null` where the operation returns nothing.
 * @throws the failure of the operation, as its own kind; ASOF_CLOSED when the holder goes away, {@link isNotBegun} when it
 *   did before it took the operation on.
 */
export async function callRemote(path: string, operation: Operation, options: CallOptions = {}): Promise<unknown> {
  const socket = await connected(path)
  const abort = () => sendLine(socket, { abort: true })
  try {
    sendLine(socket, operation)
    if (options.signal?.aborted) abort()
    else options.signal?.addEventListener('abort', abort, { once: true })
    const { promise: begun, resolve: onBegun } = Promise.withResolvers<void>()
    const answer = readAnswer(socket, { onBegun, onProgress: options.onProgress })
    if (options.lines) {
      // Lines that nobody takes on could not be sent again.
      await Promise.race([begun, answer])
      await Promise.all([answer, sendLines(socket, options.lines, answer)])
    }
    return await answer
  } finally {
    options.signal?.removeEventListener('abort', abort)
    socket.destroy()
  }
}
