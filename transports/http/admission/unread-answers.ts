import type { Socket } from 'node:net'
import { invalidOption, optionsReader } from '@asof/extract/errors'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { clientNetwork } from '../../../service/accounts/index.ts'
import { ServiceError } from '../../../service/index.ts'

/** Limits of answers that wait in memory until clients read them. */
export interface UnreadLimits {
  /** Number of unread bytes of one client from which new requests of the client are answered with 503. Default 8 MiB. */
  refusedFromBytes: number
  /** Number of unread bytes of one client above which the oldest answers of the client are cut off. Default 16 MiB. */
  clientBytes: number
  /**
   * Number of unread bytes of all clients above which answers are cut off: the oldest ones of the client with the most unread
   * bytes. Default 64 MiB.
   */
  totalBytes: number
  /** Maximum number of unfinished requests of one connection. A connection with more is closed. Default 64. */
  pipelined: number
  /**
   * Time for a client to read an answer, milliseconds, in addition to the size of the answer divided by `readBytesPerSecond`.
   * After that, the connection is closed. Default 30,000.
   */
  readMs: number
  /** Expected reading speed of a slow client. Default 32 KiB per second. */
  readBytesPerSecond: number
}

const unreadDefaults: UnreadLimits = {
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

/** @throws ASOF_INVALID_OPTION - a limit is unknown or not a number above 0. */
function unreadLimits(given: Partial<UnreadLimits> | undefined): UnreadLimits {
  const limits = readLimits(given)
  for (const [name, value] of Object.entries(limits)) {
    if (value !== undefined && !(value > 0)) throw invalidOption(`unreadAnswers.${name}`, 'must be a number above 0')
  }
  return { ...unreadDefaults, ...limits }
}

/** An answer that has not been sent completely. */
interface UnreadAnswer {
  readonly reply: FastifyReply
  /** The network of the client. */
  readonly network: string
  bytes: number
  timer?: NodeJS.Timeout
}

/** The unread answers of one client. */
interface ClientAnswers {
  bytes: number
  /** Oldest first. */
  readonly answers: Set<UnreadAnswer>
}

/** The unfinished requests and answers of one connection. */
interface Connection {
  /** Number of requests whose answer has not been sent completely. */
  requests: number
  readonly answers: Set<UnreadAnswer>
}

/**
 * Limits the answers that wait in memory because clients do not read them. All bytes of an answer count until its last byte has
 * been handed to the operating system.
 */
export class UnreadAnswers {
  readonly #limits: UnreadLimits
  readonly #clients = new Map<string, ClientAnswers>()
  readonly #connections = new WeakMap<Socket, Connection>()
  #bytes = 0

  /** @throws ASOF_INVALID_OPTION - a limit is unknown or not a number above 0. */
  constructor(limits?: Partial<UnreadLimits>) {
    this.#limits = unreadLimits(limits)
  }

  /** Number of bytes of all unread answers. */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * Registers a request.
   *
   * @returns false if the connection had too many unfinished requests, and was closed.
   * @throws ServiceError overloaded - the client has too many unread bytes.
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

  /** Counts an answer that is about to be sent, and cuts off older ones if a limit is exceeded. */
  add(reply: FastifyReply, bytes: number): void {
    if (!reply.request.socket.destroyed) this.#count(this.#track(reply), bytes)
  }

  /** Returns a stream with the content of another stream, and counts the bytes as they are produced. */
  counted(reply: FastifyReply, stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const answer = this.#track(reply)
    return stream.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          controller.enqueue(chunk)
          if (reply.request.socket.destroyed) return
          if (isSent(reply)) this.#release(answer)
          this.#count(answer, chunk.byteLength)
        },
      }),
    )
  }

  /** Returns the answer of a reply. The answer is forgotten when the reply is closed. */
  #track(reply: FastifyReply): UnreadAnswer {
    const { socket, ip } = reply.request
    const answer: UnreadAnswer = { reply, network: clientNetwork(ip), bytes: 0 }
    const { answers } = this.#connectionOf(socket)
    answers.add(answer)
    reply.raw.once('close', () => {
      answers.delete(answer)
      this.#release(answer)
    })
    return answer
  }

  #connectionOf(socket: Socket): Connection {
    const known = this.#connections.get(socket)
    if (known) return known
    const connection: Connection = { requests: 0, answers: new Set() }
    this.#connections.set(socket, connection)
    // An answer that is queued behind another one on its connection gets no `close` event.
    socket.once('close', () => {
      for (const answer of connection.answers) this.#release(answer)
      connection.answers.clear()
    })
    return connection
  }

  /** Adds unread bytes to an answer, and cuts off older ones if a limit is exceeded. */
  #count(answer: UnreadAnswer, bytes: number): void {
    const client = this.#clients.get(answer.network) ?? { bytes: 0, answers: new Set() }
    this.#clients.set(answer.network, client)
    client.answers.add(answer)
    client.bytes += bytes
    answer.bytes += bytes
    this.#bytes += bytes
    clearTimeout(answer.timer)
    const { readMs, readBytesPerSecond } = this.#limits
    // The time is rounded to whole seconds, because Node keeps timers of equal length in one list.
    const seconds = Math.ceil(answer.bytes / readBytesPerSecond)
    answer.timer = setTimeout(
      () => {
        if (isSent(answer.reply)) this.#release(answer)
        else answer.reply.request.socket.destroy()
      },
      readMs + seconds * 1_000,
    ).unref()
    const { clientBytes, totalBytes } = this.#limits
    // The only answer of a client may exceed the limit of the client.
    while (client.bytes > clientBytes && client.answers.size > 1) this.#dropOldest(client)
    while (this.#bytes > totalBytes) this.#dropOldest(this.#largest())
  }

  #release(answer: UnreadAnswer): void {
    clearTimeout(answer.timer)
    const client = this.#clients.get(answer.network)
    if (!client?.answers.delete(answer)) return
    client.bytes -= answer.bytes
    this.#bytes -= answer.bytes
    answer.bytes = 0
    if (client.answers.size === 0) this.#clients.delete(answer.network)
  }

  /** Closes the connection of a client's oldest answer. */
  #dropOldest({ answers: [oldest] }: ClientAnswers): void {
    if (!oldest) throw new TypeError('a client with unread bytes has no unread answer')
    const { socket } = oldest.reply.request
    socket.destroy()
    const { answers } = this.#connectionOf(socket)
    for (const answer of answers) this.#release(answer)
    answers.clear()
  }

  /** Returns the client with the most unread bytes. */
  #largest(): ClientAnswers {
    return [...this.#clients.values()].reduce((most, client) => (client.bytes > most.bytes ? client : most))
  }
}

/** Returns true if all bytes that an answer has so far were handed to the operating system. */
function isSent({ raw, request }: FastifyReply): boolean {
  return raw.writableLength === 0 && request.socket.writableLength === 0
}

/** Applies {@link UnreadAnswers} to every route. Call it before a plugin that compresses answers. */
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
