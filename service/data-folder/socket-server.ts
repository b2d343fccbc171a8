import { once } from 'node:events'
import { chmod, lstat, unlink } from 'node:fs/promises'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { AsofError } from '@asof/core'
import { codeOf } from '@asof/extract/errors'
import type { DataFolder } from './data-folder.ts'
import { type EngineOperation, perform, takesItems } from './operations.ts'
import { type ClientLine, encodeFailure, http, readLines, type ServerLine, sendPaced } from './socket-message.ts'

/** Maximum length of a socket path: 103 bytes on macOS. Linux allows 107. */
const MAX_PATH_BYTES = 103

type Lines = AsyncGenerator<EngineOperation | ClientLine, void, undefined>

/** Yields the items that the client sends. Aborts `wish` when the client asks for it, instead of an item or after the last one. */
async function* receivedItems(lines: Lines, wish: AbortController): AsyncGenerator<unknown> {
  for (;;) {
    const { value: line, done } = await lines.next()
    // Without `{ end: true }` the list is incomplete.
    if (done || !line) throw new AsofError('ASOF_CLOSED', 'The process that sent pages ended before the last one.')
    if ('stop' in line) return wish.abort()
    if ('end' in line) break
    if ('item' in line) yield line.item
  }
  void awaitStop(lines, wish)
}

/** Reads the lines that follow those of an operation, and aborts `wish` when the client asks for it. */
async function awaitStop(lines: Lines, wish: AbortController): Promise<void> {
  try {
    for await (const line of lines) if ('stop' in line) wish.abort()
  } catch {
    // The end of a broken connection stops the operation.
  }
}

async function answer(
  folder: DataFolder,
  request: IncomingMessage,
  response: ServerResponse,
  { signal, address }: Omit<SocketOptions, 'onNotice'>,
): Promise<void> {
  const wish = new AbortController()
  const closed = new Promise<void>(resolve => response.once('close', resolve))
  response.once('close', () => {
    if (!response.writableEnded) wish.abort()
  })
  // If a line is not JSON, reading ends but the connection stays open, so that the sender can receive the error.
  const lines: Lines = readLines(request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)
  const send = (line: ServerLine) => sendPaced(response, line)
  try {
    const { value: operation } = await lines.next()
    if (!operation || !('op' in operation)) throw new TypeError('expected an operation')
    response.flushHeaders()
    // The items that belong to the operation come first.
    if (!takesItems(operation)) void awaitStop(lines, wish)
    const result = await perform(folder, operation, {
      onProgress: progress => send({ progress }),
      caller: wish.signal,
      signal: signal ? AbortSignal.any([signal, wish.signal]) : wish.signal,
      holder: () => ({ pid: process.pid, address: address?.() }),
      items: () => receivedItems(lines, wish),
    })
    void send({ done: true, result })
  } catch (error) {
    void send({ error: encodeFailure(error) })
  }
  response.end()
  // Lines that the operation did not need would keep the connection busy.
  void lines.return().then(() => request.resume())
  await closed
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
  let isClosing = false
  // An operation may take hours, and so may the items that it takes.
  const server = http.createServer({ requestTimeout: 0 }, (request, response) => {
    // An operation that has not begun can be sent to the next process that holds the folder. One that is cut off later can't.
    if (isClosing) {
      request.destroy()
      return
    }
    const done = answer(folder, request, response, { signal, address }).finally(() => running.delete(done))
    running.add(done)
  })
  await listenPrivately(server, path)
  return async () => {
    const closed = once(server, 'close')
    isClosing = true
    server.close()
    await Promise.all([...running])
    // Clients that have sent no operation.
    server.closeAllConnections()
    await closed
  }
}
