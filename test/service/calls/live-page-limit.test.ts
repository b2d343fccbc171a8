import { afterEach, expect, it, vi } from 'vitest'
import { limitLiveReads } from '../../../service/calls/live-page.ts'
import type { LivePage } from '../../../service/index.ts'

const page: LivePage = { url: 'https://a.example/', title: '', markdown: 'text', acquiredAt: 0 }

afterEach(() => {
  vi.useRealTimers()
})

/** Creates live reads that run until the test ends them. */
function openReads() {
  const begun: { client: string | undefined; end: (page: LivePage) => void }[] = []
  const read = limitLiveReads((_url, { client } = {}) => new Promise(end => begun.push({ client, end })))
  return { begun, read: (client?: string, signal?: AbortSignal) => read(page.url, { client, signal }) }
}

/** Lets the callbacks of settled promises run. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

it('runs 32 live reads at a time and starts a waiting one when another ends', async () => {
  const { begun, read } = openReads()
  const reads = Array.from({ length: 34 }, (_, i) => read(`client ${i}`))
  await settled()
  expect(begun).toHaveLength(32)
  begun[0]!.end(page)
  await reads[0]
  await settled()
  expect(begun).toHaveLength(33)
  for (const { end } of begun) end(page)
  await settled()
  begun.at(-1)!.end(page)
  await Promise.all(reads)
})

it('runs 8 live reads of one client, queues 8, rejects more, and still serves others', async () => {
  const { begun, read } = openReads()
  const greedy = Array.from({ length: 16 }, () => read('greedy'))
  await expect(read('greedy')).rejects.toMatchObject({ kind: 'overloaded', statusCode: 503, retryAfterSeconds: 1 })
  const other = read('other')
  await settled()
  expect(begun.filter(({ client }) => client === 'greedy')).toHaveLength(8)
  begun.find(({ client }) => client === 'other')!.end(page)
  expect(await other).toBe(page)
  for (const { end } of begun) end(page)
  await settled()
  for (const { end } of begun) end(page)
  await Promise.all(greedy)
})

it('counts waiting towards the time limit of 30 s', async () => {
  vi.useFakeTimers()
  const { begun, read } = openReads()
  const failures = Array.from({ length: 9 }, () => read('slow').catch((error: unknown) => error))
  await vi.advanceTimersByTimeAsync(29_999)
  expect(begun).toHaveLength(8)
  await vi.advanceTimersByTimeAsync(1)
  expect(await failures[8]).toMatchObject({ code: 'ASOF_FETCH_TIMEOUT' })
  for (const { end } of begun) end(page)
  await settled()
  expect(begun).toHaveLength(8)
})

it('never starts a waiting read whose caller has disconnected', async () => {
  const { begun, read } = openReads()
  const running = Array.from({ length: 8 }, () => read('impatient'))
  const gone = new AbortController()
  const waiting = read('impatient', gone.signal)
  gone.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  for (const { end } of begun) end(page)
  await Promise.all(running)
  expect(begun).toHaveLength(8)
})
