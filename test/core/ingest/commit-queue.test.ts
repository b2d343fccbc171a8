import { describe, expect, it } from 'vitest'
import { COMMIT_BYTES, COMMIT_CAPTURES, CommitQueue } from '../../../core/ingest/commit-queue.ts'
import type { Entry, Outcome } from '../../../core/ingest/entry.ts'

const entries = (...names: string[]): Entry[] => names.map(url => ({ kind: 'removal', url }))
const urlsOf = (list: readonly Entry[]) => list.map(entry => (entry.kind === 'content' ? '' : entry.url))

/** A write that stays pending until the test completes or fails it. */
interface Write {
  urls: string[]
  done: (outcomes: Outcome[]) => void
  fail: (error: Error) => void
}

function commits(): { commit: CommitQueue; writes: Write[] } {
  const writes: Write[] = []
  const commit = new CommitQueue(list => new Promise((done, fail) => writes.push({ urls: urlsOf(list), done, fail })))
  return { commit, writes }
}

/** Lets all pending microtasks and timers run. */
const settled = () => new Promise(resolve => setImmediate(resolve))

describe('a group commit', () => {
  it('combines the units that arrive during a write into one next write, in order', async () => {
    const { commit, writes } = commits()
    const results = ['a', 'b', 'c', 'd'].map(name => commit.submit(entries(`${name}1`, `${name}2`), 10))
    expect(writes.map(({ urls }) => urls)).toEqual([['a1', 'a2']])
    writes[0]!.done(['captured', 'unchanged'])
    expect(await results[0]).toEqual(['captured', 'unchanged'])
    await settled()
    expect(writes.map(({ urls }) => urls)).toEqual([
      ['a1', 'a2'],
      ['b1', 'b2', 'c1', 'c2', 'd1', 'd2'],
    ])
    writes[1]!.done(['removed', 'absent', 'captured', 'captured', 'unchanged', 'removed'])
    expect(await Promise.all(results)).toEqual([
      ['captured', 'unchanged'],
      ['removed', 'absent'],
      ['captured', 'captured'],
      ['unchanged', 'removed'],
    ])
  })

  it('fails only the units of the write that failed, and continues', async () => {
    const { commit, writes } = commits()
    const [first, second, third] = ['a', 'b', 'c'].map(name => commit.submit(entries(name), 1))
    writes[0]!.done(['captured'])
    await first
    await settled()
    const late = commit.submit(entries('d'), 1)
    writes[1]!.fail(new Error('the disk is full'))
    await expect(second).rejects.toThrow('the disk is full')
    await expect(third).rejects.toThrow('the disk is full')
    await settled()
    writes[2]!.done(['captured'])
    expect(await late).toEqual(['captured'])
    expect(writes.map(({ urls }) => urls)).toEqual([['a'], ['b', 'c'], ['d']])
  })

  it('never splits a unit, and limits the size of a write', async () => {
    const { commit, writes } = commits()
    const many = (count: number, name: string) => entries(...Array.from({ length: count }, () => name))
    const results = [
      commit.submit(entries('first'), 0),
      commit.submit(many(COMMIT_CAPTURES - 1, 'a'), 0),
      commit.submit(many(1, 'b'), 0),
      commit.submit(many(COMMIT_CAPTURES + 5, 'c'), 0),
      commit.submit(entries('d'), COMMIT_BYTES),
      commit.submit(entries('e'), 1),
    ]
    for (let w = 0; w < 5; w++) {
      expect(writes.length).toBe(w + 1)
      writes[w]!.done(writes[w]!.urls.map(() => 'captured'))
      await settled()
    }
    expect(writes.map(({ urls }) => [urls.length, ...new Set(urls)])).toEqual([
      [1, 'first'],
      [COMMIT_CAPTURES, 'a', 'b'],
      [COMMIT_CAPTURES + 5, 'c'],
      [1, 'd'],
      [1, 'e'],
    ])
    expect((await Promise.all(results)).map(({ length }) => length)).toEqual([
      1,
      COMMIT_CAPTURES - 1,
      1,
      COMMIT_CAPTURES + 5,
      1,
      1,
    ])
  })

  it('works again after it was idle', async () => {
    const { commit, writes } = commits()
    for (const [w, name] of ['a', 'b'].entries()) {
      const result = commit.submit(entries(name), 1)
      writes[w]!.done(['captured'])
      expect(await result).toEqual(['captured'])
      await settled()
    }
    expect(writes.length).toBe(2)
  })
})
