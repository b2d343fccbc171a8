import fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ServiceError } from '../../../../service/index.ts'
import { WaitingRequests } from '../../../../transports/http/admission/waiting-requests.ts'

/** Waits that a test ends by hand. */
class Waits {
  readonly begun: { ms: number; end: () => void }[] = []
  /** Resolves when a wait was broken off. */
  readonly brokenOff: Promise<void>
  readonly #breakOff: () => void
  #wanted: { count: number; resolve: () => void } | undefined

  constructor() {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.brokenOff = promise
    this.#breakOff = resolve
  }

  readonly sleep = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => {
        reject(signal.reason)
        this.#breakOff()
      })
      this.begun.push({ ms, end: resolve })
      if (this.#wanted && this.begun.length >= this.#wanted.count) this.#wanted.resolve()
    })

  /** Resolves when so many waits have begun. */
  reached(count: number): Promise<void> {
    return new Promise(resolve => {
      if (this.begun.length >= count) resolve()
      else this.#wanted = { count, resolve }
    })
  }
}

const overloaded = (retryAfterSeconds = 1) => new ServiceError('overloaded', 'Too many.', { retryAfterSeconds })
const limits = { longestMs: 10_000, waiting: 3, waitingPerClient: 2 }

let waits: Waits
let requests: WaitingRequests
let app: FastifyInstance
let url: string
/** What the next tries of the work throw; undefined for an answer. */
let refusals: (Error | undefined)[]
let tries: number

beforeEach(async () => {
  waits = new Waits()
  requests = new WaitingRequests(limits, waits.sleep)
  refusals = []
  tries = 0
  app = fastify()
  app.decorateRequest('caller', undefined)
  app.decorateRequest('client', undefined)
  app.addHook('onRequest', async request => {
    request.client = String(request.headers['x-client'] ?? 'one')
  })
  app.get('/', request =>
    requests.answer(request, async () => {
      tries++
      const refusal = refusals.shift()
      if (refusal) throw refusal
      return 'answered'
    }),
  )
  url = await app.listen({ host: '127.0.0.1', port: 0 })
})
afterEach(() => app.close())

const ask = async (client = 'one', signal?: AbortSignal) => {
  const response = await fetch(url, { headers: { 'x-client': client }, signal: signal ?? null })
  return [response.status, response.status === 200 ? await response.text() : undefined]
}

it('a refused request waits for as long as the refusal asks, and is answered then', async () => {
  refusals = [overloaded(2), new ServiceError('rate_limited', 'Too many.', { retryAfterSeconds: 3 })]
  const answer = ask()
  await waits.reached(1)
  expect([tries, requests.count]).toEqual([1, 1])
  waits.begun[0]?.end()
  await waits.reached(2)
  waits.begun[1]?.end()
  expect(await answer).toEqual([200, 'answered'])
  expect(waits.begun.map(({ ms }) => ms)).toEqual([2_000, 3_000])
  expect([tries, requests.count]).toEqual([3, 0])
})

it('a refusal is sent at once if it asks for more time than a request may wait', async () => {
  refusals = [overloaded(11)]
  expect(await ask()).toEqual([503, undefined])
  expect([tries, waits.begun.length]).toEqual([1, 0])
})

it('other failures are sent at once', async () => {
  refusals = [new ServiceError('target_rate_limited', 'The site is busy.', { retryAfterSeconds: 1 })]
  expect(await ask()).toEqual([429, undefined])
  expect(waits.begun).toEqual([])
})

it('one client, and all together, have a limited number of waiting requests', async () => {
  refusals = Array.from({ length: 5 }, () => overloaded())
  const first = [ask(), ask()]
  await waits.reached(2)
  expect(await ask()).toEqual([503, undefined])
  const other = ask('two')
  await waits.reached(3)
  expect(await ask('three')).toEqual([503, undefined])
  for (const { end } of waits.begun) end()
  expect(await Promise.all([...first, other])).toEqual(Array.from({ length: 3 }, () => [200, 'answered']))
  expect(requests.count).toBe(0)
})

it('a request waits no longer when its client leaves, and is not tried again', async () => {
  refusals = [overloaded()]
  const leaving = new AbortController()
  const answer = ask('one', leaving.signal)
  await waits.reached(1)
  leaving.abort()
  await expect(answer).rejects.toThrow()
  await waits.brokenOff
  expect(await ask('two')).toEqual([200, 'answered'])
  expect([requests.count, tries]).toEqual([0, 2])
})

it('a request is counted again until its rate limit lets it in, and gets the last state of the limit', async () => {
  const standing = (remaining: number, refusal?: ServiceError) => ({ limit: 1, remaining, resetSeconds: 1, refusal })
  const states = [standing(0, new ServiceError('rate_limited', 'Too many.', { retryAfterSeconds: 1 })), standing(5)]
  const counted: unknown[] = []
  const other = fastify()
  other.decorateRequest('caller', undefined)
  other.decorateRequest('client', undefined)
  other.addHook('onRequest', async request => {
    counted.push(await requests.admit(request, async () => states.shift() ?? standing(0)))
  })
  other.get('/', async () => 'in')
  try {
    const answer = fetch(await other.listen({ host: '127.0.0.1', port: 0 }))
    await waits.reached(1)
    waits.begun[0]?.end()
    expect(await (await answer).text()).toBe('in')
    expect(counted).toEqual([standing(5)])
  } finally {
    await other.close()
  }
})
