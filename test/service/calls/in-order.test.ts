import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { inOrder } from '../../../service/calls/in-order.ts'

it('results have the order of the items, whichever ends first', async () => {
  const items = Array.from({ length: 20 }, (_, i) => i)
  const results = await inOrder(items, async item => {
    for (let turn = 0; turn < (item * 7) % 5; turn++) await setImmediate()
    return item * 2
  })
  expect(results).toEqual(items.map(item => item * 2))
  expect(await inOrder([], async () => 1)).toEqual([])
})

it('works on a few items at the same time', async () => {
  let [running, most] = [0, 0]
  await inOrder(Array.from({ length: 50 }), async () => {
    most = Math.max(most, ++running)
    await setImmediate()
    running--
  })
  expect(most).toBe(4)
})

it('begins no item after one has failed, and ends when none is being worked on', async () => {
  const [begun, ended]: [number[], number[]] = [[], []]
  const failing = inOrder([0, 1, 2, 3, 4, 5, 6, 7], async item => {
    begun.push(item)
    if (item === 1) throw new Error(`item ${item}`)
    for (let turn = 0; turn < 5; turn++) await setImmediate()
    ended.push(item)
  })
  await expect(failing).rejects.toThrow('item 1')
  expect(begun).toEqual([0, 1, 2, 3])
  expect(ended).toEqual([0, 2, 3])
})
