import { expect, it } from 'vitest'
import type { HostRotation } from '../../../crawler/crawl/host-rotation.ts'
import { QueueLengths } from '../../../crawler/crawl/queue-lengths.ts'
import type { Frontier } from '../../../crawler/frontier/frontier.ts'

it('lists the ten longest queues of the active hosts, computed at most once a second', () => {
  const pending = new Map(Array.from({ length: 12 }, (_, i) => [`host-${i}.org`, i]))
  const frontier: Pick<Frontier, 'pendingOf'> = { pendingOf: host => pending.get(host) ?? 0 }
  const rotation: Pick<HostRotation, 'activeHosts'> = {
    get activeHosts() {
      return pending.keys()
    },
  }
  let now = 0
  const lengths = new QueueLengths(frontier, rotation, () => now)
  expect(lengths.longest).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2].map(i => ({ host: `host-${i}.org`, pending: i })))
  pending.set('host-0.org', 99)
  now = 999
  expect(lengths.longest[0]).toEqual({ host: 'host-11.org', pending: 11 })
  now = 1000
  expect(lengths.longest[0]).toEqual({ host: 'host-0.org', pending: 99 })
  pending.set('host-0.org', 1)
  // The clock is set back.
  now = 500
  expect(lengths.longest[0]).toEqual({ host: 'host-11.org', pending: 11 })
})
