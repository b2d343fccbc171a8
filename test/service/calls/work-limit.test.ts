import { describe, expect, it } from 'vitest'
import { type CallName, callNames, calls, limitWork, type RequestOf, type Service } from '../../../service/index.ts'

const url = 'https://a.example/'
const client = 'org_1'

type Operation = readonly [name: string, call: (service: Service) => Promise<unknown>]

const requests: { readonly [N in CallName]: RequestOf<N> } = {
  passages: calls.passages.request.parse({ query: 'tea' }) as RequestOf<'passages'>,
  map: calls.map.request.parse({ url }) as RequestOf<'map'>,
  search: calls.search.request.parse({ query: 'tea' }) as RequestOf<'search'>,
  fetch: { url, max_chars: 1, live: false },
  verify: { quotes: [{ url, quote: 'tea' }] },
  extract: { urls: [url], schema: { type: 'object', properties: { name: { type: 'string' } } }, model: false },
  history: { url, limit: 1 },
  page: { url, max_chars: 1 },
  feedback: { query: 'tea', feedback: { [url]: 5 } },
  captures: { max_bins: 10 },
  fields: { max_examples: 1 },
  suggest: { q: 'te', limit: 1 },
}

const operations: readonly Operation[] = [
  ...callNames.map((name): Operation => [name, service => service.answer(name, requests[name], { client })]),
  ['timeline', service => service.timeline(url, { client })],
  ['pageAt', service => service.pageAt(url, 0, { client })],
]

/** A service whose calls all end with the same promise. The options of each call are in `options`. */
function serviceOf(work: Promise<never>) {
  const options: unknown[] = []
  const call = (...given: unknown[]) => {
    options.push(given.at(-1))
    return work
  }
  const service: Service = {
    answer: call,
    check: call,
    timeline: call,
    pageAt: call,
    now: () => 0,
    takesFeedback: true,
    hasPages: async () => true,
    hasFields: async () => true,
    sealed: () => service,
  }
  return { service, options }
}

describe('the limit of concurrent calls', () => {
  it.each(operations)('counts each %s of a sealed service together with the others', async (_name, call) => {
    const work = Promise.withResolvers<never>()
    const { service, underWay } = limitWork(serviceOf(work.promise).service, 2)
    const first = call(service.sealed(0))
    expect(underWay()).toBe(1)
    await expect(call(service)).rejects.toMatchObject({ kind: 'overloaded' })
    work.reject(new Error('ended'))
    await expect(first).rejects.toThrow('ended')
  })

  it.each(operations)('counts each %s for its client until it ends', async (_name, call) => {
    const work = Promise.withResolvers<never>()
    const { service, underWay } = limitWork(serviceOf(work.promise).service, 2)
    const first = call(service)
    expect(underWay()).toBe(1)
    await expect(call(service)).rejects.toMatchObject({ kind: 'overloaded' })
    work.reject(new Error('ended'))
    await expect(first).rejects.toThrow('ended')
    expect(underWay()).toBe(0)
  })

  it.each(operations)('gives each %s a signal, and keeps its other options', async (_name, call) => {
    const { service, options } = serviceOf(Promise.reject(new Error('ended')))
    await expect(call(limitWork(service, 2).service)).rejects.toThrow('ended')
    expect(options).toEqual([{ client, signal: expect.any(AbortSignal) }])
  })

  it('does not count checks', async () => {
    const { service, underWay } = limitWork(serviceOf(Promise.reject(new Error('ended'))).service, 2)
    const checked = service.check('search', requests.search)
    expect(underWay()).toBe(0)
    await expect(checked).rejects.toThrow('ended')
  })
})
