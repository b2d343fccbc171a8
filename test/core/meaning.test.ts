import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, type OpenOptions, open, type SearchAnswer } from '../../core/index.ts'
import { FolderStore } from '../../core/store/folder-store.ts'
import { allVectors, modelsKey } from '../../core/store/keys.ts'
import { conceptEmbedder, DIMENSIONS } from './models/concept-embedder.ts'

let dir: string
let engine: Engine
let now: number
const warnings: Error[] = []

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-meaning-'))
  now = 1_000_000
  warnings.length = 0
})
afterEach(async () => {
  await engine.close()
  await rm(dir, { recursive: true })
})

async function reopen(options: OpenOptions = {}): Promise<void> {
  engine = await open(dir, {
    now: () => now,
    searchThreads: 0,
    onWarning: warning => warnings.push(warning),
    ...options,
  })
}

const filler = (count: number, from = 0): { url: string; text: string }[] =>
  Array.from({ length: count }, (_, i) => ({
    url: `https://filler.example/${from + i}`,
    text: `item${from + i} topic${(from + i) % 7} shelf${from + i}`,
  }))

const urls = ({ results }: SearchAnswer): string[] => results.map(({ url }) => url)
const CAR = { url: 'https://cars.example/', text: 'automobile' }
const DOG = { url: 'https://dogs.example/', text: 'canine' }

describe('a search with an embeddings model', () => {
  it('finds pages that share no word with the query', async () => {
    await reopen({ embed: conceptEmbedder() })
    await engine.add([...filler(20), CAR, DOG])
    const answer = await engine.search('car')
    expect(urls(answer)[0]).toBe(CAR.url)
    expect(answer.receipt.vectors).toMatchObject({ model: 'concepts-1', compared: 22 })
    expect(urls(await engine.search('car', { mode: 'realtime' }))).toEqual([])
    expect(urls(await engine.search('car', { models: false }))).toEqual([])
  })

  it('compares what stands as of the instant, and neither superseded versions nor later pages', async () => {
    await reopen({ embed: conceptEmbedder() })
    await engine.add([...filler(20), CAR])
    const early = now
    for (const text of ['vehicle', 'car', 'shelf9']) {
      now += 1_000
      await engine.add([{ url: 'https://versions.example/', text }])
    }
    const compared = async (queryTime?: number) => (await engine.search('car', { queryTime })).receipt.vectors?.compared
    expect([await compared(early), await compared(early + 1_000), await compared()]).toEqual([21, 22, 22])
  })

  it('ranks a page that means the same as the query above a page that only contains one of its words', async () => {
    await reopen({ embed: conceptEmbedder() })
    const near = { url: 'https://a.example/', text: 'hound vehicle vehicle vehicle physician' }
    const far = { url: 'https://b.example/', text: 'hound shelf4 shelf5 shelf6 shelf7' }
    await engine.add([...filler(30), near, far])
    const order = urls(await engine.search('hound car doctor'))
    expect(order.indexOf(near.url)).toBe(0)
  })

  it('explains every score to the last bit, with the contribution of vectors as a part called meaning', async () => {
    await reopen({ embed: conceptEmbedder() })
    await engine.add([...filler(40), CAR, DOG, { url: 'https://both.example/', text: 'car and automobile' }])
    const { results, explain } = await engine.search('car topic3', { explain: true })
    expect(results.length).toBeGreaterThan(3)
    results.forEach(({ score }, r) => {
      expect(explain?.scores[r]?.reduce((sum, part) => sum + part.score, 0)).toBe(score)
    })
    expect(explain?.scores[0]?.some(part => 'signal' in part && part.signal === 'meaning')).toBe(true)
  })
})

describe('vectors', () => {
  it('are stored with the capture, so that a reopened index does not compute them again', async () => {
    await reopen({ embed: conceptEmbedder() })
    await engine.add([...filler(20), CAR])
    const before = await engine.search('car')
    await engine.close()
    const embed = conceptEmbedder()
    await reopen({ embed })
    expect((await engine.stats()).vectors).toBe(21)
    expect(await engine.search('car')).toEqual(before)
    expect(embed.asked.map(({ kind }) => kind)).toEqual(['query'])
  })

  it('are not computed again when a page is unchanged', async () => {
    const embed = conceptEmbedder()
    await reopen({ embed })
    await engine.add([CAR, DOG])
    now += 10
    await engine.add([CAR, { ...DOG, text: 'hound' }])
    expect(embed.asked.map(({ texts }) => texts.length)).toEqual([2, 1])
  })

  it('are available again for a page that was removed and is added again unchanged', async () => {
    await reopen({ embed: conceptEmbedder() })
    await engine.add([...filler(20), CAR])
    now += 10
    await engine.remove(CAR.url)
    now += 10
    await engine.add([CAR])
    expect((await engine.stats()).vectors).toBe(22)
    expect(urls(await engine.search('car'))[0]).toBe(CAR.url)
  })

  it('of another model are kept, but not used', async () => {
    await reopen({ embed: conceptEmbedder('first') })
    await engine.add([...filler(20), CAR])
    await engine.close()
    await reopen({ embed: conceptEmbedder('second', 16) })
    expect((await engine.stats()).vectors).toBe(0)
    expect(urls(await engine.search('car'))).toEqual([])
    expect(await engine.embed()).toEqual({ captures: 21, embedded: 21 })
    expect(urls(await engine.search('car'))[0]).toBe(CAR.url)
    await engine.close()
    await reopen({ embed: conceptEmbedder('first') })
    expect((await engine.stats()).vectors).toBe(21)
    expect(urls(await engine.search('car'))[0]).toBe(CAR.url)
  })

  it('with other dimensions from a model of the same name are rejected, and captures are stored without vectors', async () => {
    await reopen({ embed: conceptEmbedder('one') })
    await engine.add([CAR])
    await engine.close()
    await reopen({ embed: conceptEmbedder('one', 16) })
    expect((await engine.add([DOG])).added).toBe(1)
    expect(warnings[0]?.message).toContain('16 dimensions, but its stored vectors have 32')
    const { warning, receipt } = await engine.search('car')
    expect(warning).toContain('16 dimensions')
    expect(receipt.vectors).toBeUndefined()
  })

  it('survive a merge and are deleted by a purge, whichever model computed them', async () => {
    await reopen({ embed: conceptEmbedder('first') })
    await engine.add([...filler(20), CAR])
    await engine.close()
    await reopen({
      embed: conceptEmbedder('second'),
      mergePolicy: segments => (segments.length > 1 ? segments.map(({ id }) => id) : []),
    })
    await engine.embed()
    await engine.add(filler(5, 100))
    await engine.add(filler(5, 200))
    await engine.close()
    await reopen({ embed: conceptEmbedder('second') })
    expect((await engine.stats()).vectors).toBe(31)
    expect(urls(await engine.search('car'))[0]).toBe(CAR.url)
    await engine.purge(CAR.url)
    expect(urls(await engine.search('car'))).not.toContain(CAR.url)
    expect((await engine.stats()).vectors).toBe(30)
    await engine.close()
    await reopen({ embed: conceptEmbedder('first') })
    expect((await engine.stats()).vectors).toBe(20)
  })

  it('belong to one capture, so that a query as of the past uses those of its time', async () => {
    await reopen({ embed: conceptEmbedder() })
    await engine.add(filler(20))
    await engine.add([{ url: 'https://page.example/', text: 'automobile' }])
    now += 10
    const past = now
    now += 10
    await engine.add([{ url: 'https://page.example/', text: 'canine' }])
    expect(urls(await engine.search('car', { queryTime: past }))[0]).toBe('https://page.example/')
    expect(urls(await engine.search('dog', { queryTime: past }))).not.toContain('https://page.example/')
    expect(urls(await engine.search('dog'))[0]).toBe('https://page.example/')
    expect(urls(await engine.search('car'))).not.toContain('https://page.example/')
  })

  it('find pages only while the captures up to the instant fit into their memory, and otherwise only order them', async () => {
    const vectorBytes = 21 * DIMENSIONS
    await reopen({ embed: conceptEmbedder(), vectorBytes })
    await engine.add([...filler(20), CAR])
    const full = await engine.search('car')
    expect(urls(full)[0]).toBe(CAR.url)
    expect(full.receipt.vectors?.compared).toBe(21)
    const past = now
    now += 10
    await engine.add([DOG, { url: 'https://both.example/', text: 'car' }])
    for (let opened = 0; opened < 2; opened++) {
      const { results, receipt } = await engine.search('car')
      expect(results.map(({ url }) => url)).toEqual(['https://both.example/'])
      expect(receipt).toMatchObject({ profile: 'pro-meaning', vectors: { compared: 0 } })
      const before = await engine.search('car', { queryTime: past })
      expect(before.results).toEqual(full.results)
      expect(before.receipt).toMatchObject({ vectors: { compared: 21 } })
      await engine.close()
      await reopen({ embed: conceptEmbedder(), vectorBytes })
    }
    await engine.close()
    await reopen({ embed: conceptEmbedder() })
    expect((await engine.search('car')).receipt.vectors?.compared).toBe(23)
  })

  it.each([-1, 1.5, Number.NaN, 4 * 1024 ** 3])('have no memory of %d bytes', async vectorBytes => {
    await reopen()
    await expect(open(':memory:', { vectorBytes })).rejects.toMatchObject({
      code: 'ASOF_INVALID_OPTION',
      details: { field: 'vectorBytes' },
    })
  })

  it('find only pages that match the filters and exclusions of the query', async () => {
    await reopen({ embed: conceptEmbedder() })
    await engine.add([...filler(20), CAR, { url: 'https://other.example/', text: 'vehicle' }])
    expect(urls(await engine.search('car', { site: 'other.example' }))).not.toContain(CAR.url)
    expect(urls(await engine.search('car -vehicle'))).not.toContain('https://other.example/')
    expect(urls(await engine.search('car "automobile"'))[0]).toBe(CAR.url)
  })

  it('take no space in an index that never had a model', async () => {
    await reopen()
    await engine.add([...filler(5), CAR])
    const answer = await engine.search('topic1')
    expect(answer.receipt).toMatchObject({ profile: 'pro' })
    expect(answer.receipt.vectors).toBeUndefined()
    expect((await engine.stats()).vectors).toBeUndefined()
    await expect(engine.embed()).rejects.toMatchObject({ code: 'ASOF_INVALID_OPTION' })
    await engine.close()
    const store = await FolderStore.open(join(dir, 'index'), { cacheBytes: 1024 })
    const left: Uint8Array[] = []
    for await (const [key] of store.iterate(allVectors)) left.push(key)
    expect([left, store.get(modelsKey)]).toEqual([[], undefined])
    await store.close()
  })
})

describe('a model that fails', () => {
  it('loses no capture and is paused; `embed` later adds the missing vectors, and the receipt counts them', async () => {
    const embed = conceptEmbedder()
    await reopen({ embed })
    embed.failure = new Error('out of order')
    expect(await engine.add([...filler(40), CAR])).toMatchObject({ added: 41, failures: [] })
    // Only the requests that were already running when the model failed.
    expect(embed.asked.length).toBeLessThanOrEqual(2)
    expect(warnings.map(({ message }) => message)).toEqual([
      'captures are stored without vectors: the embeddings model failed: out of order',
    ])
    await engine.close()
    const working = conceptEmbedder()
    await reopen({ embed: working })
    expect((await engine.search('car')).receipt.vectors).toMatchObject({ compared: 0, late: 0 })
    expect(await engine.embed()).toEqual({ captures: 41, embedded: 41 })
    expect(await engine.embed()).toEqual({ captures: 41, embedded: 0 })
    const { results, receipt } = await engine.search('car')
    expect(results[0]?.url).toBe(CAR.url)
    expect(receipt.vectors).toMatchObject({ compared: 41, late: 41 })
  })

  it('makes a query fall back to its words, with a warning, and is not called for the next query', async () => {
    const embed = conceptEmbedder()
    await reopen({ embed })
    await engine.add([...filler(20), CAR, DOG])
    const without = await engine.search('topic3', { models: false })
    embed.failure = new Error('out of order')
    const answer = await engine.search('topic3')
    expect(answer.results).toEqual(without.results)
    expect(answer.warning).toBe('answered without vectors: the embeddings model failed: out of order')
    expect(answer.receipt).toEqual(without.receipt)
    const asked = embed.asked.length
    expect((await engine.search('topic4')).warning).toContain('out of order')
    expect(embed.asked.length).toBe(asked)
  })

  it('is not called for searches that would not use its vector', async () => {
    const embed = conceptEmbedder()
    await reopen({ embed })
    await engine.add([CAR])
    const asked = embed.asked.length
    for (const [query, options] of [
      ['car', { mode: 'realtime' }],
      ['car', { models: false }],
      ['car', { mode: 'webql' }],
      ['site:cars.example', {}],
      [CAR.url, {}],
    ] as const)
      await engine.search(query, options)
    await expect(engine.search('car', { maxResults: 0 })).rejects.toMatchObject({ code: 'ASOF_INVALID_OPTION' })
    expect(embed.asked.length).toBe(asked)
    await engine.search('car site:cars.example -dog "old motor"')
    expect(embed.asked.at(-1)).toEqual({ kind: 'query', texts: ['car old motor'] })
  })

  it('makes `embed` fail with the reason', async () => {
    const embed = conceptEmbedder()
    await reopen()
    await engine.add([CAR])
    await engine.close()
    await reopen({ embed })
    embed.failure = new Error('out of order')
    await expect(engine.embed()).rejects.toMatchObject({
      code: 'ASOF_MODEL_FAILED',
      message: 'the embeddings model failed: out of order',
    })
  })
})
