import { expect, it } from 'vitest'
import { Semaphore } from '../../../crawler/politeness/semaphore.ts'

it('lets a limited number of holders in, in the order in which they came', async () => {
  const semaphore = new Semaphore(2)
  const entered: string[] = []
  const enter = async (name: string) => {
    const release = await semaphore.acquire()
    entered.push(name)
    return release
  }
  const [first, second] = await Promise.all([enter('a'), enter('b')])
  const others = [enter('c'), enter('d')]
  await Promise.resolve()
  expect(entered).toEqual(['a', 'b'])
  second?.()
  second?.()
  await others[0]
  expect(entered).toEqual(['a', 'b', 'c'])
  first?.()
  await others[1]
  expect(entered).toEqual(['a', 'b', 'c', 'd'])
})
it('lets nobody in whose signal has aborted, and passes the turn on', async () => {
  const semaphore = new Semaphore(1)
  const release = await semaphore.acquire()
  const stop = new AbortController()
  const aborted = semaphore.acquire(stop.signal)
  const next = semaphore.acquire()
  stop.abort()
  release?.()
  expect(await aborted).toBeUndefined()
  expect(await next).toBeDefined()
  expect(await semaphore.acquire(AbortSignal.abort())).toBeUndefined()
})
