import { expect, it } from 'vitest'
import type { LivePage } from '../../../transports/service/index.ts'
import { limitLiveReads } from '../../../transports/service/live-limit.ts'

const page: LivePage = { url: 'https://a.example/', title: '', markdown: 'text', acquiredAt: 0 }

function openReads() {
  const ends: { resolve: (page: LivePage) => void; reject: (error: Error) => void }[] = []
  const read = limitLiveReads(() => new Promise((resolve, reject) => ends.push({ resolve, reject })))
  return { ends, read: (client?: string) => read(page.url, client) }
}

it('lets 32 live reads run at a time, refuses more as overloaded, and takes some again when others end', async () => {
  const { ends, read } = openReads()
  const running = Array.from({ length: 32 }, () => read())
  await expect(read()).rejects.toMatchObject({ kind: 'overloaded', status: 503, retryAfterSeconds: 1 })
  await expect(read('a client')).rejects.toMatchObject({ kind: 'overloaded' })
  expect(ends).toHaveLength(32)

  ends[0]!.resolve(page)
  expect(await running[0]).toBe(page)
  ends[1]!.reject(new Error('unreachable'))
  await expect(running[1]).rejects.toThrow('unreachable')
  const again = [read(), read()]
  await expect(read()).rejects.toMatchObject({ kind: 'overloaded' })

  for (const end of ends) end.resolve(page)
  await Promise.all([...running.slice(2), ...again])
})

it('gives one client 8 of them, so that the others still get theirs', async () => {
  const { ends, read } = openReads()
  const greedy = Array.from({ length: 8 }, () => read('greedy'))
  await expect(read('greedy')).rejects.toMatchObject({ kind: 'overloaded', status: 503, retryAfterSeconds: 1 })
  const other = read('other')
  expect(ends).toHaveLength(9)

  ends[0]!.reject(new Error('unreachable'))
  await expect(greedy[0]).rejects.toThrow('unreachable')
  const again = read('greedy')
  await expect(read('greedy')).rejects.toMatchObject({ kind: 'overloaded' })

  for (const end of ends) end.resolve(page)
  await Promise.all([...greedy.slice(1), other, again])
})
