import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FrontierDatabase, openFrontierDatabase } from '../../../crawler/frontier/frontier-database.ts'
import { encodeQueueKey } from '../../../crawler/frontier/frontier-record.ts'
import { HostQueues } from '../../../crawler/frontier/host-queues.ts'

const host = 'a.org'
const keyOf = (sequence: number) => encodeQueueKey({ host, dueAt: 0, priority: 5, depth: 0, sequence })
const urlOf = (sequence: number) => `https://a.org/${sequence}`
let dir: string
let db: FrontierDatabase
let queues: HostQueues
/** Called before the queue is read, to change it meanwhile. */
let meanwhile: () => Promise<void>

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'asof-host-queues-'))
  db = await openFrontierDatabase(join(dir, 'frontier'))
  meanwhile = async () => {}
  queues = new HostQueues(db, () => meanwhile())
})

afterEach(async () => {
  await db.close()
  rmSync(dir, { recursive: true })
})

async function add(...sequences: number[]): Promise<void> {
  await db.batch(sequences.map(each => ({ type: 'put' as const, key: keyOf(each), value: urlOf(each) })))
  for (const each of sequences) queues.added(host, keyOf(each), urlOf(each))
}

/** Starts and finishes one URL after the other until the queue is empty. */
async function drain(): Promise<string[]> {
  const urls: string[] = []
  do {
    for (let first = queues.peek(host); first; first = queues.peek(host)) {
      urls.push(first[1])
      queues.markInFlight(host)
      await db.del(first[0])
      queues.release(first[0])
    }
  } while (await queues.read(host))
  return urls
}

describe('the queue of a host', () => {
  it('returns URLs in order that are added before and behind those read ahead', async () => {
    const even = Array.from({ length: 150 }, (_, i) => 2 * i + 2)
    const odd = Array.from({ length: 150 }, (_, i) => 2 * i + 1)
    await add(...even)
    expect(await queues.read(host)).toBe(true)
    expect(queues.peek(host)?.[1]).toBe(urlOf(2))
    await add(...odd.toReversed())
    expect(await drain()).toEqual(Array.from({ length: 300 }, (_, i) => urlOf(i + 1)))
  })
  it('returns a URL that is added while the queue is read', async () => {
    await add(5)
    meanwhile = async () => {
      // The queue learns of the URL at once; it is on disk only when the next read waits for that.
      meanwhile = () => db.put(keyOf(3), urlOf(3))
      queues.added(host, keyOf(3), urlOf(3))
    }
    await queues.read(host)
    meanwhile = async () => {}
    expect(await drain()).toEqual([urlOf(3), urlOf(5)])
  })
  it('leaves out a URL in flight until it is released', async () => {
    await add(1, 2)
    await queues.read(host)
    queues.markInFlight(host)
    expect(queues.isInFlight(keyOf(1))).toBe(true)
    queues.forget(host)
    await queues.read(host)
    expect(queues.peek(host)?.[1]).toBe(urlOf(2))
    queues.release(keyOf(1))
    queues.forget(host)
    await queues.read(host)
    expect(queues.peek(host)?.[1]).toBe(urlOf(1))
  })
})
