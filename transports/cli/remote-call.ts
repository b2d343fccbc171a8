import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { AsofError } from '../../core/index.ts'
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

/** @throws ASOF_CLOSED - nobody is there. */
async function connected(path: string): Promise<Socket> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
  } catch (cause) {
    throw new AsofError('ASOF_CLOSED', `The process that held the data folder has stopped; run the command again.`, {
      cause,
    })
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

async function readAnswer(socket: Socket, onProgress: CallOptions['onProgress']): Promise<unknown> {
  for await (const line of readLines<ServerLine>(socket)) {
    if (line.error) throw decodeFailure(line.error)
    if ('result' in line) return line.result
    await onProgress?.(line.progress)
  }
  throw new AsofError(
    'ASOF_CLOSED',
    'The process that held the data folder stopped before it answered; run the command again.',
  )
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
 * @throws the failure of the operation, as its own kind; ASOF_CLOSED when the holder goes away.
 */
export async function callRemote(path: string, operation: Operation, options: CallOptions = {}): Promise<unknown> {
  const socket = await connected(path)
  const abort = () => sendLine(socket, { abort: true })
  try {
    sendLine(socket, operation)
    if (options.signal?.aborted) abort()
    else options.signal?.addEventListener('abort', abort, { once: true })
    const answer = readAnswer(socket, options.onProgress)
    if (options.lines) await Promise.all([answer, sendLines(socket, options.lines, answer)])
    return await answer
  } finally {
    options.signal?.removeEventListener('abort', abort)
    socket.destroy()
  }
}
