import { expect, it } from 'vitest'
import { countDue } from '../../../crawler/frontier/due-counts.ts'

const hour = 3_600_000
const queue = (times: Iterable<number>) => ({
  dueTimes: async function* () {
    yield* times
  },
})

it('counts each URL where it is due', async () => {
  const now = 1_000 * hour
  const times = [0, now - 1, now, now + 1, now + hour, now + hour + 1, now + 24 * hour, now + 24 * hour + 1]
  expect(await countDue(queue(times), now)).toEqual({ now: 3, hour: 2, day: 2, later: 1, isComplete: true })
})

it('stops after 200,000 URLs, and says so', async () => {
  const counts = await countDue(queue(new Array<number>(200_001).fill(0)), 1)
  expect(counts).toMatchObject({ now: 200_000, isComplete: false })
})
