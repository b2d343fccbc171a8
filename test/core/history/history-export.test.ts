import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, isAsofError, open, type Page } from '../../../core/index.ts'

let dir: string
let engine: Engine
let clock = 10_000
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-history-'))
  engine = await open(dir, { now: () => clock })
})
afterEach(async () => {
  await engine.close()
  await rm(dir, { recursive: true })
})

const all = async (limit: number): Promise<Page[]> => {
  const captures: Page[] = []
  let after: string | undefined
  do {
    const part = await engine.history({ limit, ...(after === undefined ? {} : { after }) })
    expect(part.captures.length).toBeLessThanOrEqual(limit)
    captures.push(...part.captures)
    after = part.next
  } while (after !== undefined)
  return captures
}
const at = (url: string, acquiredAt: number, words: string) => ({ url, acquiredAt, title: url, markdown: words })

describe('the history of an index', () => {
  it('exports each capture once, URL by URL and oldest first, whatever the size of its parts', async () => {
    await engine.add([
      at('https://b.org/', 3000, 'three'),
      at('https://a.org/', 2000, 'two'),
      at('https://a.org/', 1000, 'one'),
      at('https://a.org/', 3000, 'one'),
      at('https://c.org/', 500, 'zero'),
    ])
    const expected = [
      ['https://a.org/', 1000, 'one'],
      ['https://a.org/', 2000, 'two'],
      ['https://a.org/', 3000, 'one'],
      ['https://b.org/', 3000, 'three'],
      ['https://c.org/', 500, 'zero'],
    ]
    for (const limit of [1, 2, 3, 5, 100])
      expect((await all(limit)).map(({ url, acquiredAt, markdown }) => [url, acquiredAt, markdown])).toEqual(expected)
  })
  it('agrees with `page` at each instant, and contains removed pages but no purged ones', async () => {
    await engine.add([at('https://a.org/', 1000, 'one'), at('https://b.org/', 1000, 'other')])
    await engine.seen('https://a.org/')
    clock = 20_000
    await engine.remove('https://a.org/')
    await engine.purge('https://b.org/')
    expect(await all(10)).toEqual([await engine.page('https://a.org/', { queryTime: 15_000, supersededAt: true })])
  })
  it('leaves out content superseded in the same millisecond', async () => {
    await engine.add([at('https://a.org/', 1000, 'lost'), at('https://a.org/', 1000, 'won')])
    expect((await all(10)).map(({ markdown }) => markdown)).toEqual(['won'])
  })
  it('is empty without captures, and rejects invalid limits and cursors', async () => {
    expect(await engine.history()).toEqual({ captures: [] })
    for (const options of [{ limit: 0 }, { limit: 1001 }, { after: 'https://a.org/' }])
      await expect(engine.history(options)).rejects.toSatisfy(error => isAsofError(error, 'ASOF_INVALID_OPTION'))
  })
})
