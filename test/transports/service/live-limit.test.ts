import { expect, it } from 'vitest'
import type { LivePage } from '../../../transports/service/index.ts'
import { limitLiveReads } from '../../../transports/service/live-limit.ts'

const page: LivePage = { url: 'https://a.example/', title: '', markdown: 'text', acquiredAt: 0 }

it('lets 32 live reads run at a time, refuses more as overloaded, and takes some again when others end', async () => {
  const ends: { resolve: (page: LivePage) => void; reject: (error: Error) => void }[] = []
  const read = limitLiveReads(() => new Promise((resolve, reject) => ends.push({ resolve, reject })))
  const running = Array.from({ length: 32 }, () => read(page.url))
  await expect(read(page.url)).rejects.toMatchObject({ kind: 'overloaded', status: 503, retryAfterSeconds: 1 })
  expect(ends).toHaveLength(32)

  ends[0]!.resolve(page)
  expect(await running[0]).toBe(page)
  ends[1]!.reject(new Error('unreachable'))
  await expect(running[1]).rejects.toThrow('unreachable')
  const again = [read(page.url), read(page.url)]
  await expect(read(page.url)).rejects.toMatchObject({ kind: 'overloaded' })

  for (const end of ends) end.resolve(page)
  await Promise.all([...running.slice(2), ...again])
})
