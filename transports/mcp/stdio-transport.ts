import type { Readable, Writable } from 'node:stream'
import { parseExactJson } from '@asof/extract/exact-json'
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/server'
import { lenientMessage } from './lenient-message.ts'
import { messageIdOf } from './protocol-error.ts'

/** Maximum length of a line, bytes. A longer line is skipped and answered with an error. */
const MAX_LINE_BYTES = 8 * 2 ** 20
/** Maximum number of messages in a batch. */
const MAX_BATCH = 50
/** Maximum time that an ended input waits for its answers, ms. A call takes at most a minute. */
const LAST_ANSWERS_MS = 70_000
const LINE_FEED = 0x0a

const errors = {
  parse: { code: -32_700, message: 'The line is not JSON: send each message as JSON on one line.' },
  length: { code: -32_600, message: `The line is longer than ${MAX_LINE_BYTES} bytes.` },
  invalid: { code: -32_600, message: 'The line is not a message of JSON-RPC 2.0.' },
  empty: { code: -32_600, message: 'The batch has no message.' },
  batch: { code: -32_600, message: `The batch has more than ${MAX_BATCH} messages.` },
} as const

type Id = string | number | null

function errorMessage(id: Id, error: (typeof errors)[keyof typeof errors]): object {
  return { jsonrpc: '2.0', id, error }
}

/** Returns the value of a line of JSON. Returns `undefined` for any other line. */
function messageIn(line: string): unknown {
  try {
    return parseExactJson(line)
  } catch {
    // The client gets an error.
    return undefined
  }
}

/** The answers to a batch, which are sent together (JSON-RPC 2.0, section 6). */
interface Batch {
  waiting: Set<Id>
  answers: object[]
}

/**
 * Carries messages over a pair of streams, one JSON text a line. A batch is answered by a list, and a line that is no message by an
 * error. When the input ends, calls that are running are still answered.
 */
export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: Transport['onmessage']
  /** Resolves when the input has ended and every request is answered, or when the transport is closed. */
  readonly done: Promise<void>
  readonly #input: Readable
  readonly #output: Writable
  /** Requests that have no answer yet, each with the batch that it came in. */
  readonly #waiting = new Map<Id, Batch | undefined>()
  #pending: Buffer[] = []
  #pendingBytes = 0
  #skipping = false
  #ended = false
  #closed = false
  #timer: NodeJS.Timeout | undefined
  #resolveDone = () => {}

  constructor(input: Readable, output: Writable) {
    this.#input = input
    this.#output = output
    this.done = new Promise(resolve => {
      this.#resolveDone = resolve
    })
  }

  async start(): Promise<void> {
    this.#input.on('data', this.#onData).on('error', this.#onError).on('end', this.#onEnd).on('close', this.#onEnd)
    this.#output.on('error', this.#onOutputError)
    if (this.#input.readableEnded || this.#input.destroyed) setImmediate(this.#onEnd)
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return
    const id = isJSONRPCResponse(message) ? (message.id ?? null) : undefined
    const batch = id === undefined ? undefined : this.#waiting.get(id)
    if (batch && id !== undefined) this.#answerInBatch(batch, id, message)
    else await this.#write(serializeMessage(message))
    if (id !== undefined) this.#settle(id)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    clearTimeout(this.#timer)
    this.#input.off('data', this.#onData).off('error', this.#onError).off('end', this.#onEnd).off('close', this.#onEnd)
    this.#input.pause()
    this.onclose?.()
    this.#resolveDone()
  }

  readonly #onData = (chunk: Buffer | string) => {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    let start = 0
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      this.#gather(bytes.subarray(start, end))
      this.#endLine()
      start = end + 1
    }
    this.#gather(bytes.subarray(start))
  }

  readonly #onError = (error: Error) => this.onerror?.(error)

  readonly #onOutputError = (error: Error) => {
    // Nobody reads the answers any more.
    if (!this.#closed) this.onerror?.(error)
    void this.close()
  }

  readonly #onEnd = () => {
    if (this.#ended || this.#closed) return
    this.#ended = true
    this.#endLine()
    this.#timer = setTimeout(this.#resolveDone, LAST_ANSWERS_MS)
    this.#resolveIfDone()
  }

  #gather(bytes: Buffer): void {
    if (this.#skipping || bytes.length === 0) return
    this.#pendingBytes += bytes.length
    if (this.#pendingBytes > MAX_LINE_BYTES) {
      this.#skipping = true
      this.#pending = []
    } else this.#pending.push(bytes)
  }

  #endLine(): void {
    const line = Buffer.concat(this.#pending)
      .toString('utf8')
      .replace(/^\uFEFF/, '')
      .trim()
    const isTooLong = this.#skipping
    this.#pending = []
    this.#pendingBytes = 0
    this.#skipping = false
    if (isTooLong) this.#answer(errorMessage(null, errors.length))
    else if (line !== '') this.#read(line)
  }

  #read(line: string): void {
    const given = messageIn(line)
    if (given === undefined) this.#answer(errorMessage(null, errors.parse))
    else if (!Array.isArray(given)) this.#deliver(lenientMessage(given), undefined)
    else if (given.length === 0) this.#answer(errorMessage(null, errors.empty))
    else if (given.length > MAX_BATCH) this.#answer(errorMessage(null, errors.batch))
    else this.#readBatch(lenientMessage(given) as unknown[])
  }

  #readBatch(messages: readonly unknown[]): void {
    const batch: Batch = { waiting: new Set(), answers: [] }
    for (const message of messages) if (isJSONRPCRequest(message)) batch.waiting.add(message.id)
    for (const message of messages) this.#deliver(message, batch)
    this.#sendIfWhole(batch)
  }

  #deliver(message: unknown, batch: Batch | undefined): void {
    if (isJSONRPCRequest(message)) {
      // A request for a stream of notifications is not answered until the connection ends.
      if (message.method !== 'subscriptions/listen') this.#waiting.set(message.id, batch)
      else batch?.waiting.delete(message.id)
      this.onmessage?.(message)
    } else if (isJSONRPCNotification(message)) {
      this.onmessage?.(message)
      if (message.method === 'notifications/cancelled') this.#cancel(message.params?.requestId)
    } else if (isJSONRPCResponse(message)) this.onmessage?.(message)
    else if (batch) batch.answers.push(errorMessage(messageIdOf(message), errors.invalid))
    else this.#answer(errorMessage(messageIdOf(message), errors.invalid))
  }

  /** Ends the wait for a request that its client cancelled, which gets no answer. */
  #cancel(id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return
    const batch = this.#waiting.get(id)
    batch?.waiting.delete(id)
    if (batch) this.#sendIfWhole(batch)
    this.#settle(id)
  }

  #answerInBatch(batch: Batch, id: Id, answer: object): void {
    batch.waiting.delete(id)
    batch.answers.push(answer)
    this.#sendIfWhole(batch)
  }

  #sendIfWhole(batch: Batch): void {
    if (batch.waiting.size > 0 || batch.answers.length === 0) return
    this.#answer(batch.answers.splice(0))
  }

  #settle(id: Id): void {
    this.#waiting.delete(id)
    this.#resolveIfDone()
  }

  #resolveIfDone(): void {
    if (this.#ended && this.#waiting.size === 0) this.#resolveDone()
  }

  #answer(message: object): void {
    void this.#write(`${JSON.stringify(message)}\n`)
  }

  /** Resolves when the output has room for more. A failure of the output closes the transport. */
  async #write(text: string): Promise<void> {
    if (this.#closed || this.#output.destroyed || this.#output.write(text)) return
    await new Promise<void>(resolve => {
      const proceed = () => {
        this.#output.off('drain', proceed).off('close', proceed).off('error', proceed)
        resolve()
      }
      this.#output.on('drain', proceed).on('close', proceed).on('error', proceed)
    })
  }
}
