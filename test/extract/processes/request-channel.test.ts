import { MessageChannel } from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'
import { AsofError } from '../../../extract/errors/errors.ts'
import {
  ChannelClosed,
  type Handlers,
  RequestChannel,
  Transferred,
} from '../../../extract/processes/request-channel.ts'

interface Calls {
  double: (n: number) => number
  fail: (error: Error) => never
  later: () => string
  bytes: () => Uint8Array
  told: (what: string) => void
}

const ports: MessageChannel[] = []
afterEach(() => {
  for (const { port1 } of ports.splice(0)) port1.close()
})

/** The asking end of a channel whose other end has these handlers. */
function ask(handlers: Partial<Handlers<Calls>>): RequestChannel<Calls> {
  const channel = new MessageChannel()
  ports.push(channel)
  const { port1, port2 } = channel
  const asking = new RequestChannel<Calls>((message, buffers) => port1.postMessage(message, buffers), {})
  const answering = new RequestChannel((message, buffers) => port2.postMessage(message, buffers), handlers)
  port1.on('message', message => asking.receive(message))
  port2.on('message', message => answering.receive(message))
  return asking
}

describe('a request channel', () => {
  it('gives each request its own reply, whichever is ready first', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const channel = ask({ later: () => promise, double: n => 2 * n })
    const later = channel.request('later', undefined as never)
    expect(await channel.request('double', 21)).toBe(42)
    expect(channel.pending).toBe(1)
    resolve('done')
    expect(await later).toBe('done')
    expect(channel.pending).toBe(0)
  })

  it('rebuilds an error with its code and details', async () => {
    const failed = ask({
      fail: () => {
        throw new AsofError('ASOF_STORE_CORRUPT', 'broken', { details: { file: 'x' } })
      },
    }).request('fail', new Error(''))
    await expect(failed).rejects.toBeInstanceOf(AsofError)
    await expect(failed).rejects.toMatchObject({
      code: 'ASOF_STORE_CORRUPT',
      message: 'broken',
      details: { file: 'x' },
    })
  })

  it('rejects with the message of an error without a code', async () => {
    const failed = ask({
      fail: () => {
        throw new RangeError('a bug')
      },
    }).request('fail', new Error(''))
    await expect(failed).rejects.toThrow('a bug')
    await expect(failed).rejects.not.toHaveProperty('code')
  })

  it('rejects a request that the other end does not know', async () => {
    await expect(ask({}).request('double', 1)).rejects.toThrow('no handler for double')
  })

  it('moves the buffers of a transferred result', async () => {
    const bytes = Uint8Array.of(1, 2, 3)
    const received = await ask({ bytes: () => new Transferred(bytes, [bytes.buffer]) }).request(
      'bytes',
      undefined as never,
    )
    expect([...received]).toEqual([1, 2, 3])
    expect(bytes.buffer.byteLength).toBe(0)
  })

  it('delivers notices in the order of the requests around them', async () => {
    const seen: string[] = []
    const channel = ask({
      told: what => void seen.push(what),
      double: n => {
        seen.push(`double ${n}`)
        return 2 * n
      },
    })
    void channel.notify('told', 'first')
    const doubled = channel.request('double', 1)
    void channel.notify('told', 'last')
    await doubled
    await channel.request('double', 2)
    expect(seen).toEqual(['first', 'double 1', 'last', 'double 2'])
  })

  it('rejects what is pending when it closes, and says which request was the oldest', async () => {
    const channel = ask({ later: () => new Promise<string>(() => {}) })
    const requests = [1, 2].map(() => channel.request('later', undefined as never))
    channel.close(new Error('out of memory'))
    const results = await Promise.allSettled(requests)
    for (const result of results) expect(result).toMatchObject({ reason: expect.any(ChannelClosed) })
    expect(results).toMatchObject([{ reason: { isOldest: true } }, { reason: { isOldest: false } }])
    expect(results).toMatchObject([{ reason: { message: expect.stringContaining('out of memory') } }, {}])
  })
})
