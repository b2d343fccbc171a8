import { expect, it } from 'vitest'
import { type FetchResponse, limitWork, type Service } from '../../../service/index.ts'

const page: FetchResponse = { url: 'https://a.example/', content: '', title: '', description: '' }
const asked = { url: page.url, max_chars: 1, live: false }

it('one client gets at most half of the limit, and others are still answered', async () => {
  const pending: PromiseWithResolvers<FetchResponse>[] = []
  const slow = {
    fetch: () => {
      const work = Promise.withResolvers<FetchResponse>()
      pending.push(work)
      return work.promise
    },
  } as Partial<Service> as Service
  const { service } = limitWork(slow, 4)
  const greedy = [service.fetch(asked, { client: 'greedy' }), service.fetch(asked, { client: 'greedy' })]
  await expect(service.fetch(asked, { client: 'greedy' })).rejects.toMatchObject({ kind: 'overloaded' })
  const others = [service.fetch(asked, { client: 'other' }), service.fetch(asked)]
  for (const { resolve } of pending) resolve(page)
  expect(await Promise.all([...greedy, ...others])).toHaveLength(4)
  const again = service.fetch(asked, { client: 'greedy' })
  pending.at(-1)!.resolve(page)
  expect(await again).toBe(page)
})

it('the newest call of the client with the most makes room for another client, also if many clients fill the limit', async () => {
  const pending: PromiseWithResolvers<FetchResponse>[] = []
  const waiting = {
    fetch: (_request, { signal } = {}) => {
      const work = Promise.withResolvers<FetchResponse>()
      pending.push(work)
      signal?.addEventListener('abort', () => work.reject(signal.reason))
      return work.promise
    },
  } as Partial<Service> as Service
  const { service, underWay } = limitWork(waiting, 8)
  const call = (client: string) => service.fetch(asked, { client }).catch((error: unknown) => error)
  const greedy = ['a', 'a', 'a', 'b', 'b', 'c', 'c', 'c'].map(call)
  const honest = [call('honest'), call('honest')]
  expect(await greedy[2]).toMatchObject({ kind: 'overloaded', retryAfterSeconds: 1 })
  expect(await greedy[7]).toMatchObject({ kind: 'overloaded' })
  expect(underWay()).toBe(8)
  // Nobody has more than the honest client now.
  expect(await call('honest')).toMatchObject({ kind: 'overloaded' })
  for (const { resolve } of pending) resolve(page)
  expect(await Promise.all(honest)).toEqual([page, page])
  await Promise.all(greedy)
  expect(underWay()).toBe(0)
})

it('a call that must make room and runs on all the same counts until it ends', async () => {
  const pending: PromiseWithResolvers<FetchResponse>[] = []
  const deaf = {
    fetch: () => {
      const work = Promise.withResolvers<FetchResponse>()
      pending.push(work)
      return work.promise
    },
  } as Partial<Service> as Service
  const { service, underWay } = limitWork(deaf, 4)
  const greedy = ['a', 'a', 'b', 'b'].map(client => service.fetch(asked, { client }))
  const honest = service.fetch(asked, { client: 'honest' })
  expect(underWay()).toBe(5)
  // One call of `a` is already to make room, but still counts.
  await expect(service.fetch(asked, { client: 'a' })).rejects.toMatchObject({ kind: 'overloaded' })
  for (const { resolve } of pending) resolve(page)
  expect(await Promise.all([...greedy, honest])).toHaveLength(5)
  expect(underWay()).toBe(0)
})

it('calls beyond the limit are rejected as overloaded with a retry time, until a call ends', async () => {
  const pending: PromiseWithResolvers<FetchResponse>[] = []
  const slow = {
    fetch: () => {
      const work = Promise.withResolvers<FetchResponse>()
      pending.push(work)
      return work.promise
    },
    search: () => Promise.reject(new Error('no search was meant')),
    checkSearch: () => Promise.reject(new Error('no search was meant')),
    suggest: () => Promise.reject(new Error('no suggestion was meant')),
    checkFetch: () => Promise.reject(new Error('no check was meant')),
    checkHistory: () => Promise.reject(new Error('no check was meant')),
    history: () => Promise.reject(new Error('no history was meant')),
    timeline: () => Promise.reject(new Error('no timeline was meant')),
    pageAt: () => Promise.reject(new Error('no page was meant')),
    feedback: () => Promise.reject(new Error('no feedback was meant')),
    takesFeedback: false,
  } satisfies Service
  const { service, underWay } = limitWork(slow, 2)
  const [first, second] = [service.fetch(asked), service.fetch(asked)]
  expect(underWay()).toBe(2)
  await expect(service.fetch(asked)).rejects.toMatchObject({ kind: 'overloaded', retryAfterSeconds: 1 })
  expect(pending).toHaveLength(2)
  pending[0]!.resolve(page)
  await first
  const third = service.fetch(asked)
  expect(pending).toHaveLength(3)
  pending[1]!.reject(new Error('failed'))
  await expect(second).rejects.toThrow('failed')
  pending[2]!.resolve(page)
  expect(await third).toBe(page)
  expect(underWay()).toBe(0)
})
