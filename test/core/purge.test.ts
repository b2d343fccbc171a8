import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../core/index.ts'

let engine: Engine
let clock: number

beforeEach(async () => {
  clock = 1000
  engine = await open(':memory:', { now: () => clock, mergePolicy: () => [] })
})
afterEach(async () => {
  await engine.close()
})

const page = (name: string, ...aliases: string[]) => ({
  url: `https://example.com/${name}`,
  text: `about ${name}`,
  aliases,
})

describe('a purge', () => {
  it('updates the oldest and newest instants before any merge', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await engine.add([page(name)])
      clock += 1000
    }
    expect(await engine.stats()).toMatchObject({ oldest: 1000, newest: 5000, captures: 5 })
    await engine.purge('https://example.com/a')
    await engine.purge('https://example.com/e')
    expect(await engine.stats()).toMatchObject({ oldest: 2000, newest: 4000, captures: 3 })
    for (const name of ['b', 'c', 'd']) await engine.purge(`https://example.com/${name}`)
    const none = { captures: 0, urls: 0, oldest: undefined, newest: undefined }
    expect(await engine.stats()).toMatchObject({ ...none, segments: 5 })
  })

  it('deletes the page of an alias that was removed before the page was added', async () => {
    const alias = 'https://example.com/short'
    expect(await engine.remove(alias)).toBe(false)
    await engine.add([page('long', alias)])
    expect(await engine.purge(alias)).toBe(1)
    expect(await engine.page('https://example.com/long')).toBeUndefined()
  })

  it('keeps an alias that leads to another page now', async () => {
    const alias = 'https://example.com/moved'
    await engine.add([page('old', alias, 'https://example.com/old2')])
    await engine.add([page('new', alias)])
    expect(await engine.purge('https://example.com/old')).toBe(1)
    expect(await engine.page(alias)).toMatchObject({ url: 'https://example.com/new' })
    expect(await engine.page('https://example.com/old2')).toBeUndefined()
    expect(await engine.purge(alias)).toBe(1)
    expect(await engine.page(alias)).toBeUndefined()
    expect(await engine.stats()).toMatchObject({ urls: 0, captures: 0 })
  })

  it('of many pages counts each of them once, in the statistics of every term', async () => {
    const names = Array.from({ length: 300 }, (_, i) => `p${i}`)
    await engine.add(names.map(name => page(name)))
    for (const name of names.slice(0, 120)) await engine.purge(`https://example.com/${name}`)
    const { results, receipt } = await engine.search('about', { maxResults: 1000 })
    expect(results).toHaveLength(180)
    expect(receipt).toMatchObject({ captures: 180, purged: 120 })
    const other = await open(':memory:', { now: () => clock })
    await other.add(names.slice(120).map(name => page(name)))
    expect((await other.search('about p200')).results[0]!.score).toBe(
      (await engine.search('about p200')).results[0]!.score,
    )
    await other.close()
  })
})
