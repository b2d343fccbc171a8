import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { FairQueue, type QueueLimits } from '../../../service/fair-shares/fair-queue.ts'

/** Lets the callbacks of settled promises run. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

const roomy: QueueLimits = { running: 2, runningPerClient: 1, waiting: 100, waitingPerClient: 100 }

/** Creates a queue whose calls run until the test ends them. */
function openQueue(limits: Partial<QueueLimits> = {}) {
  const queue = new FairQueue({ ...roomy, ...limits }, 'lamps are being lit')
  const begun: { client: string | undefined; end: () => void }[] = []
  const run = (client?: string, signal?: AbortSignal) =>
    queue.run(client, () => new Promise<void>(end => begun.push({ client, end })), signal)
  return { begun, run, clients: () => begun.map(({ client }) => client) }
}

/** Ends running calls one after another until none is left, including those that start meanwhile. */
async function endAll(begun: { end: () => void }[]): Promise<void> {
  for (let i = 0; i < begun.length; i++) {
    begun[i]!.end()
    await settled()
  }
}

afterEach(() => vi.restoreAllMocks())

describe('FairQueue', () => {
  it('starts a call synchronously if a place is free', () => {
    const { begun, run } = openQueue()
    void run('a')
    expect(begun).toHaveLength(1)
  })

  it('keeps a free place from a client that uses its share', async () => {
    const { begun, run, clients } = openQueue()
    const greedy = [run('greedy'), run('greedy'), run('greedy')]
    const other = run('other')
    expect(clients()).toEqual(['greedy', 'other'])
    await endAll(begun)
    await Promise.all([...greedy, other])
  })

  it('gives a free place to the client with the fewest running calls, not to the one that waited longest', async () => {
    const { begun, run, clients } = openQueue({ running: 3, runningPerClient: 3 })
    const calls = [run('a'), run('a'), run('a'), run('a'), run('a'), run('b')]
    begun[0]!.end()
    await settled()
    expect(clients()).toEqual(['a', 'a', 'a', 'b'])
    await endAll(begun)
    await Promise.all(calls)
  })

  it('lets clients with equally many running calls take turns', async () => {
    const { begun, run, clients } = openQueue({ running: 1 })
    const calls = ['a', 'a', 'a', 'b', 'b', 'c'].map(client => run(client))
    await endAll(begun)
    await Promise.all(calls)
    expect(clients()).toEqual(['a', 'b', 'c', 'a', 'b', 'a'])
  })

  it('lets calls without a client use all places if nobody else needs one', () => {
    const { begun, run } = openQueue()
    void run()
    void run()
    expect(begun).toHaveLength(2)
  })

  it('lets the networks of one /48 share what one client gets, in turns', async () => {
    const { begun, run, clients } = openQueue({ running: 2, runningPerClient: 1 })
    const networks = Array.from({ length: 64 }, (_, i) => `2001:db8:7:${i.toString(16)}::/64`)
    const calls = networks.map(network => run(network))
    const other = run('192.0.2.1')
    expect(clients()).toEqual([networks[0], '192.0.2.1'])
    begun[0]!.end()
    await settled()
    calls.push(run('192.0.2.1'))
    begun[1]!.end()
    await settled()
    expect(clients().slice(2)).toEqual([networks[1], '192.0.2.1'])
    await endAll(begun)
    await Promise.all([...calls, other])
    expect(clients().slice(4)).toEqual(networks.slice(2))
  })

  it('gives a free place to a client with quick calls before many clients with slow ones', async () => {
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    const { begun, run, clients } = openQueue({ running: 1 })
    const slow = Array.from({ length: 20 }, (_, i) => `192.0.2.${i}`)
    const calls = slow.flatMap(client => [run(client), run(client)])
    for (let i = 0; i < 20; i++) {
      now += 400
      begun[i]!.end()
      await settled()
    }
    calls.push(run('198.51.100.1'))
    now += 400
    begun.at(-1)!.end()
    await settled()
    expect(clients().at(-1)).toBe('198.51.100.1')
    await endAll(begun)
    await Promise.all(calls)
  })

  it('keeps the last place free of slow clients, so that a quick client starts immediately', async () => {
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    const { begun, run, clients } = openQueue({ slowMs: 3_000 })
    const first = [run('slow'), run('slower')]
    now = 5_000
    for (const { end } of begun) end()
    await Promise.all(first)
    const calls = [run('slow'), run('slower'), run('quick')]
    await settled()
    expect(clients().slice(2)).toEqual(['slow', 'quick'])
    await endAll(begun)
    await Promise.all(calls)
    expect(clients().slice(2)).toEqual(['slow', 'quick', 'slower'])
  })

  it('stops treating a client as slow after some time', async () => {
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    const { begun, run, clients } = openQueue({ slowMs: 3_000 })
    const first = [run('a'), run('b')]
    now = 5_000
    for (const { end } of begun) end()
    await Promise.all(first)
    now = 70_000
    void run('a')
    void run('b')
    expect(clients().slice(2)).toEqual(['a', 'b'])
  })

  it('rejects a call of a client with too many waiting calls as overloaded', async () => {
    const { begun, run } = openQueue({ waitingPerClient: 1 })
    const calls = [run('a'), run('a')]
    await expect(run('a')).rejects.toMatchObject({ kind: 'overloaded', retryAfterSeconds: 1 })
    await endAll(begun)
    await Promise.all(calls)
  })

  it('when full, rejects the newest call of the client with the most waiting calls in favor of a client with fewer', async () => {
    const { begun, run, clients } = openQueue({ running: 1, waiting: 3 })
    const greedy = ['greedy', 'greedy', 'greedy', 'greedy'].map(client => run(client).catch((error: unknown) => error))
    const honest = run('honest')
    expect(await greedy[3]).toMatchObject({ kind: 'overloaded' })
    await expect(run('greedy')).rejects.toMatchObject({ kind: 'overloaded' })
    await endAll(begun)
    await Promise.all([...greedy, honest])
    expect(clients()).toEqual(['greedy', 'honest', 'greedy', 'greedy'])
  })

  it('when full, makes room at the cost of the group with the most waiting calls, whatever its clients have each', async () => {
    const { begun, run } = openQueue({ running: 1, waiting: 5 })
    const networks = Array.from({ length: 5 }, (_, i) => `2001:db8:7:${i}::/64`)
    const first = run('192.0.2.1')
    const of48 = networks.map(network => run(network).catch((error: unknown) => error))
    const honest = [run('192.0.2.1'), run('192.0.2.2')]
    const refused: unknown[] = []
    for (const call of of48)
      void call.then(error => {
        if (error) refused.push(error)
      })
    await settled()
    expect(refused).toMatchObject([{ kind: 'overloaded' }, { kind: 'overloaded' }])
    await endAll(begun)
    await Promise.all([first, ...of48, ...honest])
  })

  it('never runs a call whose signal aborts while it waits, and removes it from the queue', async () => {
    const { begun, run } = openQueue({ waitingPerClient: 1 })
    const running = run('a')
    const gone = new AbortController()
    const waiting = run('a', gone.signal)
    gone.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    const next = run('a')
    await endAll(begun)
    await Promise.all([running, next])
    expect(begun).toHaveLength(2)
    await expect(run('a', gone.signal)).rejects.toThrow('gone')
  })

  it('frees the place of a call that fails', async () => {
    const queue = new FairQueue({ ...roomy, running: 1 }, 'lamps are being lit')
    await expect(queue.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    expect(await queue.run('b', async () => 'lit')).toBe('lit')
  })

  it('keeps every limit and settles every call, whatever clients call, abort and fail', async () => {
    const limits = fc.record({
      running: fc.integer({ min: 1, max: 4 }),
      runningPerClient: fc.integer({ min: 1, max: 3 }),
      waiting: fc.integer({ min: 0, max: 8 }),
      waitingPerClient: fc.integer({ min: 0, max: 4 }),
    })
    const step = fc.record({
      do: fc.constantFrom('ask', 'ask', 'end', 'fail', 'abort'),
      client: fc.constantFrom('a', 'b', 'c'),
      pick: fc.nat(20),
    })
    await fc.assert(
      fc.asyncProperty(limits, fc.array(step, { maxLength: 60 }), async (given, steps) => {
        const queue = new FairQueue(given, 'lamps are being lit')
        const running: { client: string; end: (failure?: Error) => void }[] = []
        const asked: { settled: Promise<unknown>; abort: AbortController }[] = []
        const most = new Map<string, number>()
        const call = (client: string) => () =>
          new Promise<void>((resolve, reject) => {
            const one = {
              client,
              end: (failure?: Error) => {
                running.splice(running.indexOf(one), 1)
                failure ? reject(failure) : resolve()
              },
            }
            running.push(one)
            const own = running.filter(other => other.client === client).length
            most.set(client, Math.max(most.get(client) ?? 0, own))
            expect(running.length).toBeLessThanOrEqual(given.running)
            expect(own).toBeLessThanOrEqual(given.runningPerClient)
          })
        for (const { do: what, client, pick } of steps) {
          if (what === 'ask') {
            const abort = new AbortController()
            asked.push({ settled: queue.run(client, call(client), abort.signal).catch(() => {}), abort })
          } else if (what === 'abort') asked[pick]?.abort.abort()
          else running[pick % Math.max(1, running.length)]?.end(what === 'fail' ? new Error('broken') : undefined)
          await settled()
        }
        while (running.length > 0) {
          running[0]!.end()
          await settled()
        }
        await Promise.all(asked.map(one => one.settled))
        // No call is left behind, so a place is free.
        await queue.run('d', async () => {})
      }),
      { numRuns: 200 },
    )
  })
})
