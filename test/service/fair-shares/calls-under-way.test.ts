import { beforeEach, describe, expect, it } from 'vitest'
import { CallsUnderWay } from '../../../service/fair-shares/calls-under-way.ts'

let pending: PromiseWithResolvers<string>[]
beforeEach(() => {
  pending = []
})

/** Work that ends when the test says so, whatever its signal says. */
function untilEnded(): Promise<string> {
  const work = Promise.withResolvers<string>()
  pending.push(work)
  return work.promise
}

/** Work that also ends when its signal aborts. */
function untilAborted(signal: AbortSignal): Promise<string> {
  const ended = untilEnded()
  const work = pending.at(-1)
  signal.addEventListener('abort', () => work?.reject(signal.reason))
  return ended
}

const endAll = () => {
  for (const { resolve } of pending) resolve('answer')
}

describe('calls under way', () => {
  it('of one client are at most half of the limit, and others are still answered', async () => {
    const calls = new CallsUnderWay(4)
    const greedy = [calls.run('greedy', untilEnded), calls.run('greedy', untilEnded)]
    await expect(calls.run('greedy', untilEnded)).rejects.toMatchObject({ kind: 'overloaded' })
    const others = [calls.run('other', untilEnded), calls.run(undefined, untilEnded)]
    endAll()
    expect(await Promise.all([...greedy, ...others])).toHaveLength(4)
    expect(await calls.run('greedy', async () => 'again')).toBe('again')
  })

  it('make room for another client: the newest call of the client with the most, also if many clients fill the limit', async () => {
    const calls = new CallsUnderWay(8)
    const call = (client: string) => calls.run(client, untilAborted).catch((error: unknown) => error)
    const greedy = ['a', 'a', 'a', 'b', 'b', 'c', 'c', 'c'].map(call)
    const honest = [call('honest'), call('honest')]
    expect(await greedy[2]).toMatchObject({ kind: 'overloaded', retryAfterSeconds: 1 })
    expect(await greedy[7]).toMatchObject({ kind: 'overloaded' })
    expect(calls.count).toBe(8)
    // Nobody has more than the honest client now.
    expect(await call('honest')).toMatchObject({ kind: 'overloaded' })
    endAll()
    expect(await Promise.all(honest)).toEqual(['answer', 'answer'])
    await Promise.all(greedy)
    expect(calls.count).toBe(0)
  })

  it('count until they end, also one that must make room and runs on all the same', async () => {
    const calls = new CallsUnderWay(4)
    const greedy = ['a', 'a', 'b', 'b'].map(client => calls.run(client, untilEnded))
    const honest = calls.run('honest', untilEnded)
    expect(calls.count).toBe(5)
    // One call of `a` is already to make room, but still counts.
    await expect(calls.run('a', untilEnded)).rejects.toMatchObject({ kind: 'overloaded' })
    endAll()
    expect(await Promise.all([...greedy, honest])).toHaveLength(5)
    expect(calls.count).toBe(0)
  })

  it('beyond the limit are rejected as overloaded with a retry time, until a call ends or fails', async () => {
    const calls = new CallsUnderWay(2)
    const [first, second] = [calls.run(undefined, untilEnded), calls.run(undefined, untilEnded)]
    await expect(calls.run(undefined, untilEnded)).rejects.toMatchObject({ kind: 'overloaded', retryAfterSeconds: 1 })
    expect(pending).toHaveLength(2)
    pending[0]?.resolve('answer')
    await first
    const third = calls.run(undefined, untilEnded)
    pending[1]?.reject(new Error('failed'))
    await expect(second).rejects.toThrow('failed')
    pending[2]?.resolve('answer')
    expect(await third).toBe('answer')
    expect(calls.count).toBe(0)
  })

  it('abort with the reason of their caller, also one that had left before the call began', async () => {
    const calls = new CallsUnderWay(2)
    const caller = new AbortController()
    const call = calls.run('a', untilAborted, caller.signal)
    caller.abort(new Error('gone'))
    await expect(call).rejects.toThrow('gone')
    const late = calls.run('a', async signal => signal.throwIfAborted(), caller.signal)
    await expect(late).rejects.toThrow('gone')
    expect(calls.count).toBe(0)
  })
})
