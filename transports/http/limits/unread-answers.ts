import type { Socket } from 'node:net'
import { invalidOption, optionsReader } from '@asof/core'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { clientNetwork } from '../../service/accounts/index.ts'
import { ServiceError } from '../../service/index.ts'

/** How much of what callers asked for may wait for them to read it. */
export interface UnreadLimits {
  /** A client that has more than this unread is answered 503 until it reads. Bytes; default 8 MiB. */
  refusedFromBytes: number
  /** The oldest answers of a client that has more than this unread are cut off. Bytes; default 16 MiB. */
  clientBytes: number
  /** When all clients together have more unread, the one with the most loses its oldest answers. Bytes; default 64 MiB. */
  totalBytes: number
  /** Requests of one connection that are not answered in full; a connection with more is closed. Default 64. */
  pipelined: number
  /** Time for reading an answer, besides its bytes at `readBytesPerSecond`; then its connection is closed. Default 30,000 ms. */
  readMs: number
  /** Default 32 KiB. */
  readBytesPerSecond: number
}

export const unreadDefaults: UnreadLimits = {
  refusedFromBytes: 8 * 1024 * 1024,
  clientBytes: 16 * 1024 * 1024,
  totalBytes: 64 * 1024 * 1024,
  pipelined: 64,
  readMs: 30_000,
  readBytesPerSecond: 32 * 1024,
}

const readLimits = optionsReader<Partial<UnreadLimits>>({
  refusedFromBytes: 'number',
  clientBytes: 'number',
  totalBytes: 'number',
  pipelined: 'number',
  readMs: 'number',
  readBytesPerSecond: 'number',
})

/** @throws ASOF_INVALID_OPTION - a limit that is unknown or not a number above 0. */
function unreadLimits(given: Partial<UnreadLimits> | undefined): UnreadLimits {
  const limits = readLimits(given)
  for (const [name, value] of Object.entries(limits)) {
    if (value !== undefined && !(value > 0)) throw invalidOption(`unreadAnswers.${name}`, 'must be a number above 0')
  }
  return { ...unreadDefaults, ...limits }
}

/** An answer that has not gone out in full. */
interface UnreadAnswer {
  reply: FastifyReply
  client: ClientAnswers
  bytes: number
  timer: NodeJS.Timeout | undefined
}

interface ClientAnswers {
  network: string
  bytes: number
  /** Oldest first. */
  readonly answers: Set<UnreadAnswer>
}

/** What is under way on one connection. */
interface Connection {
  /** Requests that are not answered in full. */
  requests: number
  readonly answers: Set<UnreadAnswer>
}

/**
 * Bounds the answers that wait in memory because their callers do not read them. An answer counts with all its bytes until
 * the last one has gone to the system.
 */
export class UnreadAnswers {
  readonly #limits: UnreadLimits
  readonly #clients = new Map<string, ClientAnswers>()
  readonly #connections = new WeakMap<Socket, Connection>()
  #bytes = 0

  /** @throws ASOF_INVALID_OPTION - see {@link unreadLimits}. */
  constructor(limits?: Partial<UnreadLimits>) {
    this.#limits = unreadLimits(limits)
  }

  /** Bytes of all unread answers. */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * Takes note of a request.
   *
   * @returns false if its connection was closed for having too many requests at a time.
   * @throws ServiceError overloaded - its client has too much unread.
   */
  admit(reply: FastifyReply): boolean {
    const { socket } = reply.request
    const connection = this.#connectionOf(socket)
    connection.requests += 1
    reply.raw.once('close', () => {
      connection.requests -= 1
    })
    if (connection.requests > this.#limits.pipelined) {
      socket.destroy()
      return false
    }
    const unread = this.#clients.get(clientNetwork(reply.request.ip))?.bytes ?? 0
    if (unread > this.#limits.refusedFromBytes)
      throw new ServiceError('overloaded', 'Read the answers to your other requests first.', { retryAfterSeconds: 1 })
    return true
  }

  /** Counts an answer that is about to be sent, and makes room for it. */
  add(reply: FastifyReply, bytes: number): void {
    const { socket, ip } = reply.request
    if (socket.destroyed) return
    const client = this.#clientOf(clientNetwork(ip))
    const answer: UnreadAnswer = { reply, client, bytes: 0, timer: undefined }
    const connection = this.#connectionOf(socket)
    connection.answers.add(answer)
    client.answers.add(answer)
    this.#count(answer, bytes)
    reply.raw.once('close', () => {
      connection.answers.delete(answer)
      this.#release(answer)
    })
    this.#makeRoom(client)
  }

  /** The same stream, whose bytes count as they are produced, until nothing of it is unsent. */
  counted(reply: FastifyReply, stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const { socket, ip } = reply.request
    const answer: UnreadAnswer = { reply, client: this.#clientOf(clientNetwork(ip)), bytes: 0, timer: undefined }
    const connection = this.#connectionOf(socket)
    connection.answers.add(answer)
    reply.raw.once('close', () => {
      connection.answers.delete(answer)
      this.#release(answer)
    })
    return stream.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          controller.enqueue(chunk)
          if (socket.destroyed) return
          if (isSent(reply)) this.#release(answer)
          answer.client = this.#clientOf(clientNetwork(ip))
          answer.client.answers.add(answer)
          this.#count(answer, chunk.byteLength)
          this.#makeRoom(answer.client)
        },
      }),
    )
  }

  #connectionOf(socket: Socket): Connection {
    const known = this.#connections.get(socket)
    if (known) return known
    const connection: Connection = { requests: 0, answers: new Set() }
    this.#connections.set(socket, connection)
    // An answer behind another one of its connection is not told that the connection ended.
    socket.once('close', () => {
      for (const answer of connection.answers) this.#release(answer)
      connection.answers.clear()
    })
    return connection
  }

  #clientOf(network: string): ClientAnswers {
    const known = this.#clients.get(network)
    if (known) return known
    const client: ClientAnswers = { network, bytes: 0, answers: new Set() }
    this.#clients.set(network, client)
    return client
  }

  #count(answer: UnreadAnswer, bytes: number): void {
    answer.bytes += bytes
    answer.client.bytes += bytes
    this.#bytes += bytes
    clearTimeout(answer.timer)
    const { readMs, readBytesPerSecond } = this.#limits
    // Whole seconds: timers of equal length are cheap.
    const seconds = Math.ceil(answer.bytes / readBytesPerSecond)
    answer.timer = setTimeout(
      () => {
        if (isSent(answer.reply)) this.#release(answer)
        else answer.reply.request.socket.destroy()
      },
      readMs + seconds * 1_000,
    ).unref()
  }

  #release(answer: UnreadAnswer): void {
    const { client, bytes } = answer
    clearTimeout(answer.timer)
    answer.bytes = 0
    client.bytes -= bytes
    this.#bytes -= bytes
    client.answers.delete(answer)
    if (client.answers.size === 0 && this.#clients.get(client.network) === client) this.#clients.delete(client.network)
  }

  #makeRoom(client: ClientAnswers): void {
    const { clientBytes, totalBytes } = this.#limits
    // A single answer always has room among those of its own client.
    while (client.bytes > clientBytes && client.answers.size > 1) this.#dropOldest(client)
    while (this.#bytes > totalBytes) this.#dropOldest(this.#greediest())
  }

  /** Closes the connection of a client's oldest answer. */
  #dropOldest({ answers: [oldest] }: ClientAnswers): void {
    const { socket } = oldest!.reply.request
    socket.destroy()
    const { answers } = this.#connectionOf(socket)
    for (const answer of answers) this.#release(answer)
    answers.clear()
  }

  #greediest(): ClientAnswers {
    return [...this.#clients.values()].reduce((most, client) => (client.bytes > most.bytes ? client : most))
  }
}

/** Whether all of an answer so far has gone to the system. */
function isSent({ raw, request }: FastifyReply): boolean {
  return raw.writableLength === 0 && request.socket.writableLength === 0
}

/** Adds the bounds of {@link UnreadAnswers} to every route; to be called before anything that compresses answers. */
export function addUnreadAnswers(app: FastifyInstance, unread: UnreadAnswers): void {
  app.addHook('onRequest', (_request, reply, done) => {
    try {
      if (unread.admit(reply)) done()
      else reply.hijack()
    } catch (refusal) {
      done(refusal as Error)
    }
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (typeof payload === 'string') unread.add(reply, Buffer.byteLength(payload))
    else if (payload instanceof Uint8Array) unread.add(reply, payload.byteLength)
    else if (payload instanceof Response && payload.body) {
      const { status, headers } = payload
      return done(null, new Response(unread.counted(reply, payload.body), { status, headers }))
    }
    done()
  })
}
