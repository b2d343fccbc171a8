import type { Socket } from 'node:net'
import { invalidOption, optionsReader } from '@asof/core/options'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { clientNetwork } from '../../../service/accounts/index.ts'
import { ServiceError } from '../../../service/index.ts'

/** Limits of answers that wait in memory until clients read them. */
export interface UnreadLimits {
  /** Unread bytes of one client from which its new requests are answered with 503. Default 8 MiB. */
  refusedFromBytes: number
  /** Unread bytes of one client from which its oldest answers are cut off. Default 16 MiB. */
  clientBytes: number
  /** Unread bytes of all clients from which the client with the most loses its oldest answers. Default 64 MiB. */
  totalBytes: number
  /** Limit of unfinished requests of one connection; a connection with more is closed. Default 64. */
  pipelined: number
  /**
   * Time to read an answer, in addition to its size divided by `readBytesPerSecond`; then its connection is closed.
   * Milliseconds; default 30,000.
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
  /** The network of its client. */
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
 * Bounds the answers that wait in memory because clients do not read them. An answer counts with all its bytes until the
 * last one has been handed to the operating system.
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
   * @returns false if its connection had too many unfinished requests, and was closed.
   * @throws ServiceError overloaded - its client has too many unread bytes.
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

  /** Returns the stream of an answer with its bytes counted as they are produced. */
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

  /** Returns the answer of a reply. It is released when the reply is closed. */
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
    // Rounded to whole seconds, because Node keeps timers of equal length in one list.
    const seconds = Math.ceil(answer.bytes / readBytesPerSecond)
    answer.timer = setTimeout(
      () => {
        if (isSent(answer.reply)) this.#release(answer)
        else answer.reply.request.socket.destroy()
      },
      readMs + seconds * 1_000,
    ).unref()
    const { clientBytes, totalBytes } = this.#limits
    // A client's only answer is never cut off for the limit of the client.
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

  /** The client with the most unread bytes. */
  #largest(): ClientAnswers {
    return [...this.#clients.values()].reduce((most, client) => (client.bytes > most.bytes ? client : most))
  }
}

/** True if everything of an answer so far has been handed to the operating system. */
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
