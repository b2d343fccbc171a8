import type { Transferable } from 'node:worker_threads'
import { AsofError, type ErrorCode, isAsofError } from '../errors/errors.ts'
import { isError } from '../errors/thrown.ts'

/** The calls that one end of a channel accepts, as functions by name. A handler may return {@link Transferred}. */
export type Calls<C> = { [K in keyof C]: (input: never) => unknown }
type Input<F> = F extends (input: infer I) => unknown ? I : never
type Result<F> = F extends (input: never) => infer R ? Awaited<R> : never

/** The handlers of the calls `C`. */
export type Handlers<C> = {
  [K in keyof C]: (
    input: Input<C[K]>,
  ) => Result<C[K]> | Transferred<Result<C[K]>> | Promise<Result<C[K]> | Transferred<Result<C[K]>>>
}

/** A result whose buffers are moved to the other thread instead of copied. */
export class Transferred<R> {
  readonly result: R
  readonly buffers: readonly Transferable[]

  constructor(result: R, buffers: readonly Transferable[]) {
    this.result = result
    this.buffers = buffers
  }
}

/** The messages of a channel. Each request gets one reply; a notice gets none. */
export type ChannelMessage =
  | { request: number; name: string; input: unknown }
  | { notice: string; input: unknown }
  | { reply: number; result: unknown }
  | { reply: number; error: ErrorData }

/** Sends a message. If it returns a promise, the promise resolves when the message was handed over for delivery. */
export type Post = (message: ChannelMessage, buffers: readonly Transferable[]) => void | Promise<void>

/** The error of a request whose other end ended without a reply. */
export class ChannelClosed extends Error {
  /** True for the oldest open request. If requests are handled in order, it was the one being handled. */
  readonly isOldest: boolean

  constructor(isOldest: boolean, cause: Error | undefined) {
    super(cause ? `the thread or process ended: ${cause.message}` : 'the thread or process ended', { cause })
    this.isOldest = isOldest
  }
}

interface Pending {
  resolve: (result: unknown) => void
  reject: (error: Error) => void
}

/**
 * One end of a channel between threads or processes. Both ends can send requests and reply. The caller passes incoming
 * messages to {@link receive}.
 *
 * If the handler of a request throws, the error is sent back and the request rejects with it. If the handler of a
 * notice throws, {@link receive} throws the error.
 */
export class RequestChannel<Theirs extends Calls<Theirs>> {
  readonly #post: Post
  readonly #handlers: Readonly<Record<string, ((input: unknown) => unknown) | undefined>>
  readonly #pending = new Map<number, Pending>()
  readonly #running = new Set<Promise<void>>()
  #lastId = 0

  constructor(post: Post, handlers: object) {
    this.#post = post
    this.#handlers = handlers as Readonly<Record<string, (input: unknown) => unknown>>
  }

  /** Number of requests without a reply so far. */
  get pending(): number {
    return this.#pending.size
  }

  /**
   * Sends a request and returns the reply.
   *
   * @throws the handler's error, an AsofError with its code and details.
   * @throws ChannelClosed
   */
  request<K extends keyof Theirs & string>(name: K, input: Input<Theirs[K]>): Promise<Result<Theirs[K]>> {
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve: resolve as (result: unknown) => void, reject })
      void this.#post({ request: id, name, input }, [])
    })
  }

  /** Sends a notice. Resolves when the message was handed over for delivery. */
  async notify<K extends keyof Theirs & string>(name: K, input: Input<Theirs[K]>): Promise<void> {
    await this.#post({ notice: name, input }, [])
  }

  receive(message: ChannelMessage): void {
    if ('notice' in message) this.#handlers[message.notice]?.(message.input)
    else if ('request' in message) this.#run(message.request, message.name, message.input)
    else {
      const pending = this.#pending.get(message.reply)
      this.#pending.delete(message.reply)
      if ('error' in message) pending?.reject(errorOf(message.error))
      else pending?.resolve(message.result)
    }
  }

  /** Rejects all open requests, because the other end has ended. */
  close(cause?: Error): void {
    let isOldest = true
    for (const { reject } of this.#pending.values()) {
      reject(new ChannelClosed(isOldest, cause))
      isOldest = false
    }
    this.#pending.clear()
  }

  /** Waits until every received request was replied to. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  #run(id: number, name: string, input: unknown): void {
    const running = this.#answer(id, name, input).finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  async #answer(id: number, name: string, input: unknown): Promise<void> {
    let message: ChannelMessage
    let buffers: readonly Transferable[] = []
    try {
      const handler = this.#handlers[name]
      if (!handler) throw new TypeError(`the other end of a channel has no handler for ${name}`)
      const result = await handler(input)
      if (result instanceof Transferred) buffers = result.buffers
      message = { reply: id, result: result instanceof Transferred ? result.result : result }
    } catch (error) {
      message = { reply: id, error: errorData(error) }
    }
    await this.#post(message, buffers)
  }
}

/**
 * An error as plain data. Copying the error itself to another thread or process would lose its class, code and details.
 */
interface ErrorData {
  /** Undefined for errors other than AsofError. */
  code?: ErrorCode
  message: string
  details?: Readonly<Record<string, unknown>>
  stack?: string
}

function errorData(error: unknown): ErrorData {
  if (!isError(error)) return { message: String(error) }
  const { message, stack } = error
  return isAsofError(error) ? { code: error.code, message, details: error.details, stack } : { message, stack }
}

/** Restores an error, as an {@link AsofError} if it has a code. */
function errorOf({ code, message, details, stack }: ErrorData): Error {
  const error = code ? new AsofError(code, message, { details }) : new Error(message)
  if (stack !== undefined) error.stack = stack
  return error
}
