import { describe, expect, it } from 'vitest'
import { feedbackRequest } from '../../../service/contract/feedback-schemas.ts'
import { historyRequest, pageRequest } from '../../../service/contract/page-schemas.ts'
import {
  capturesRequest,
  fieldsRequest,
  searchRequest,
  suggestRequest,
} from '../../../service/contract/search-schemas.ts'
import { limitWork, type Service } from '../../../service/index.ts'

const url = 'https://a.example/'
const client = 'org_1'
const judged = { query: 'tea', feedback: { [url]: 5 } }

const reads: readonly [name: string, call: (service: Service) => Promise<unknown>][] = [
  ['search', service => service.search(searchRequest.parse({ query: 'tea' }), { client })],
  ['suggest', service => service.suggest(suggestRequest.parse({ q: 'te' }), { client })],
  ['fields', service => service.fields(fieldsRequest.parse({}), { client })],
  ['captures', service => service.captures(capturesRequest.parse({}), { client })],
  ['page', service => service.page(pageRequest.parse({ url }), { client })],
  ['fetch', service => service.fetch({ url, max_chars: 1, live: false }, { client })],
  ['history', service => service.history(historyRequest.parse({ url }), { client })],
  ['timeline', service => service.timeline(url, { client })],
  ['pageAt', service => service.pageAt(url, 0, { client })],
]
const operations: typeof reads = [
  ...reads,
  ['feedback', service => service.feedback(feedbackRequest.parse(judged), { organization: client, zdr: false })],
]

/** A service whose calls all end with the same promise. The options of each call are in `options`. */
function serviceOf(work: Promise<never>) {
  const options: unknown[] = []
  const call = (...given: unknown[]) => {
    options.push(given.at(-1))
    return work
  }
  const service: Service = {
    ...{
      search: call,
      suggest: call,
      captures: call,
      fields: call,
      page: call,
      fetch: call,
      history: call,
      verify: call,
      timeline: call,
      pageAt: call,
      feedback: call,
    },
    ...{ checkSearch: call, checkFetch: call, checkHistory: call, checkVerify: call, takesFeedback: true },
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

  it.each(reads)('gives each %s a signal, and keeps its other options', async (_name, call) => {
    const { service, options } = serviceOf(Promise.reject(new Error('ended')))
    await expect(call(limitWork(service, 2).service)).rejects.toThrow('ended')
    expect(options).toEqual([{ client, signal: expect.any(AbortSignal) }])
  })

  it('does not count checks', async () => {
    const { service, underWay } = limitWork(serviceOf(Promise.reject(new Error('ended'))).service, 2)
    const checked = service.checkSearch(searchRequest.parse({ query: 'tea' }))
    expect(underWay()).toBe(0)
    await expect(checked).rejects.toThrow('ended')
  })
})
