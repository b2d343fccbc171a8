import { once } from 'node:events'
import { chmod, lstat, unlink } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { AsofError, type ObservationInput } from '@asof/core'
import { codeOf } from '@asof/extract/errors'
import type { DataFolder } from './data-folder.ts'
import { type EngineOperation, perform, takesLines } from './operations.ts'
import {
  type ClientLine,
  decodeObservation,
  encodeFailure,
  readLines,
  type ServerLine,
  sendPaced,
} from './socket-message.ts'

/** Maximum length of a socket path: 103 bytes on macOS. Linux allows 107. */
const MAX_PATH_BYTES = 103

type Lines = AsyncGenerator<EngineOperation | ClientLine, void, undefined>

async function* receivedObservations(lines: Lines): AsyncGenerator<ObservationInput> {
  for (;;) {
    const { value, done } = await lines.next()
    // Without `{ end: true }` the stream is incomplete.
    if (done || !value) throw new AsofError('ASOF_CLOSED', 'The process that sent captures ended before the last one.')
    if ('end' in value) return
    if ('observation' in value && value.observation) yield decodeObservation(value.observation)
  }
}

/** Yields the URLs that the client sends. Aborts `controller` when the client asks for it, instead of a URL or after the last one. */
async function* receivedUrls(lines: Lines, controller: AbortController): AsyncGenerator<string> {
  for (;;) {
    const { value, done } = await lines.next()
    if (done || !value) throw new AsofError('ASOF_CLOSED', 'The process that sent URLs ended before the last one.')
    if ('abort' in value) return controller.abort()
    if ('end' in value) break
    if ('url' in value && value.url !== undefined) yield value.url
  }
  void watchForAbort(lines, controller)
}

/** Aborts `controller` when the client asks for it or disconnects. */
async function watchForAbort(lines: Lines, controller: AbortController): Promise<void> {
  try {
    for (;;) {
      const { value, done } = await lines.next()
      if (done || (value && 'abort' in value)) break
    }
  } catch {
    // A broken connection means that the client has ended.
  }
  controller.abort()
}

interface AnswerOptions {
  /** Called when an operation was received. */
  begun: () => void
  signal: AbortSignal | undefined
  address: SocketOptions['address']
}

async function answer(folder: DataFolder, socket: Socket, { begun, signal, address }: AnswerOptions): Promise<void> {
  const lines: Lines = readLines<EngineOperation | ClientLine>(socket)
  const send = async (line: ServerLine) => {
    if (socket.writable) await sendPaced(socket, line)
  }
  try {
    const { value: operation } = await lines.next()
    begun()
    // A client may connect without an operation, to find out whether this process answers.
    if (operation) {
      if (!('op' in operation)) throw new TypeError('expected an operation')
      void send({ begun: true })
      const wish = new AbortController()
      // The lines that belong to the operation come first.
      if (!takesLines(operation)) void watchForAbort(lines, wish)
      const result = await perform(folder, operation, {
        onProgress: progress => send({ progress }),
        caller: wish.signal,
        signal: signal ? AbortSignal.any([signal, wish.signal]) : wish.signal,
        holder: () => ({ pid: process.pid, address: address?.() }),
        observations: () => receivedObservations(lines),
        urls: () => receivedUrls(lines, wish),
      })
      void send({ done: true, result })
    }
  } catch (error) {
    void send({ error: encodeFailure(error) })
  }
  socket.end()
  void readRest(lines)
}

/** Reads the lines that an operation did not need: a connection with unread lines would never close. */
async function readRest(lines: Lines): Promise<void> {
  try {
    for await (const _ of lines);
  } catch {
    // A broken connection means that the client has ended.
  }
}

/** Deletes the socket file of a killed process. No other process is using the socket, because this one has the lock. */
async function removeStale(path: string): Promise<void> {
  try {
    if (!(await lstat(path)).isSocket())
      throw new AsofError('ASOF_STORE_LOCKED', `${path} exists and is not a socket; delete or rename it`)
    await unlink(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
}

async function listenPrivately(server: Server, path: string): Promise<void> {
  // `listen` creates the socket file before it returns. The umask gives the file its final permissions from the start.
  const before = process.umask(0o177)
  try {
    server.listen(path)
  } finally {
    process.umask(before)
  }
  await once(server, 'listening')
  await chmod(path, 0o600)
}

export interface SocketOptions {
  /** Stops crawls and backups of other processes once what they hold is stored. */
  signal?: AbortSignal
  /** Returns the URL at which this process serves the folder over HTTP, if it does. */
  address?: () => string | undefined
  onNotice: (line: string) => void
}

/**
 * Serves a data folder at a Unix socket, for other processes of the same user.
 *
 * @returns a function that closes the socket: accepts no new operations, waits for running ones and deletes the socket
 *   file.
 */
export async function serveSocket(
  path: string,
  folder: DataFolder,
  { signal, address, onNotice }: SocketOptions,
): Promise<() => Promise<void>> {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    onNotice(
      `other commands can't use the data folder while this process holds it: ${path} is too long for the path of a socket`,
    )
    return async () => {}
  }
  await removeStale(path)
  const running = new Set<Promise<void>>()
  const idle = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, socket => {
    // Errors of a connection are handled where it is read and written. Without this handler they would end the process.
    socket.on('error', () => {})
    idle.add(socket)
    const begun = () => idle.delete(socket)
    const done = answer(folder, socket, { begun, signal, address }).finally(() => running.delete(done))
    running.add(done)
  })
  await listenPrivately(server, path)
  return async () => {
    const closed = new Promise<void>(resolve => server.close(() => resolve()))
    for (const socket of idle) socket.destroy()
    await Promise.all([...running])
    await closed
  }
}
