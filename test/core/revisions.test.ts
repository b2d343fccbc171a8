import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CaptureInput, type Engine, examine, type OpenOptions, open, repair } from '../../core/index.ts'
import { FolderStore } from '../../core/store/folder-store.ts'
import { allRevisionRows, allRevisions, revisionKey, revisionRowsKey } from '../../core/store/keys.ts'
import { tamper } from './repair/written-history.ts'

const url = 'https://shop.example/lamp'
const text = 'A lamp for the desk. It gives warm light.'
const day = (number: number): number => Date.UTC(2025, 0, number)

let root: string
let dir: string
let clock: number
let engine: Engine

async function opened(options: OpenOptions = {}): Promise<Engine> {
  engine = await open(dir, { now: () => clock, searchThreads: 0, mergePolicy: () => [], ...options })
  return engine
}

/** Adds an observation of the page about a lamp, made on the given day. */
async function found(number: number, said: Partial<CaptureInput> = {}) {
  return engine.add([{ url, title: 'Lamp', text, acquiredAt: day(number), ...said }])
}

const priced = (price: number): Partial<CaptureInput> => ({ data: [{ '@type': 'Product', offers: { price } }] })

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'asof-revisions-'))
  dir = join(root, 'data')
  clock = day(30)
  await opened()
})
afterEach(async () => {
  await engine.close()
  await rm(root, { recursive: true })
})

/** Returns the numbers of stored revisions and revision rows. */
async function stored(): Promise<{ revisions: number; rows: number }> {
  await engine.close()
  const store = await FolderStore.open(join(dir, 'index'), { cacheBytes: 1 << 20 })
  const count = { revisions: 0, rows: 0 }
  for await (const _ of store.iterate(allRevisions)) count.revisions++
  for await (const _ of store.iterate(allRevisionRows)) count.rows++
  await store.close()
  await opened()
  return count
}

describe('the metadata of a page', () => {
  it('counts as revised if it changes while the text does not, and as unchanged if neither does', async () => {
    expect(await found(1, priced(20))).toEqual({
      added: 1,
      revised: 0,
      unchanged: 0,
      removed: 0,
      failures: [],
      warnings: [],
      withoutText: [],
      replaced: [],
    })
    expect(await found(3, priced(25))).toMatchObject({ added: 0, revised: 1, unchanged: 0 })
    expect(await found(5, priced(25))).toMatchObject({ added: 0, revised: 0, unchanged: 1 })
    expect(await found(7, { ...priced(25), author: 'A. Smith' })).toMatchObject({ revised: 1 })
    expect(await found(9, { text: 'No lamp any more.' })).toMatchObject({ added: 1 })
  })

  it.each<[keyof CaptureInput, Partial<CaptureInput>]>([
    ['publishedAt', { publishedAt: '2024-12-01' }],
    ['publishedFrom', { publishedAt: '2024-11-01', publishedFrom: { source: 'meta', precision: 'day' } }],
    ['author', { author: 'A. Smith' }],
    ['kind', { kind: 'article' }],
    ['lang', { lang: 'en' }],
    ['description', { description: 'a lamp' }],
    ['siteName', { siteName: 'The Shop' }],
    ['data', priced(20)],
  ])('has the %s as of T that was valid at T', async (field, said) => {
    const before = { publishedAt: '2024-11-01' }
    await found(1, before)
    await found(5, { ...before, ...said })
    await found(9, before)
    const [first, second, third] = await Promise.all(
      [day(4), day(8), day(10)].map(queryTime => engine.page(url, { queryTime })),
    )
    expect(second?.[field as 'author']).not.toEqual(first?.[field as 'author'])
    expect(third?.[field as 'author']).toEqual(first?.[field as 'author'])
    expect([first, second, third].map(page => [page?.acquiredAt, page?.revisedAt])).toEqual([
      [day(1), undefined],
      [day(1), day(5)],
      [day(1), day(9)],
    ])
  })

  it('does not change because of the order of the keys of an object', async () => {
    await found(1, { data: [{ name: 'lamp', offers: { price: 1, currency: 'EUR' } }] })
    const report = await found(2, { data: [{ offers: { currency: 'EUR', price: 1 }, name: 'lamp' }] })
    expect(report).toMatchObject({ revised: 0, unchanged: 1 })
  })

  it('stores no second copy of the text and no second posting when it changes, and changes no statistic and no score', async () => {
    await found(1, priced(20))
    const before = await engine.search('lamp light', { queryTime: day(2), explain: true })
    for (let price = 21; price < 29; price++) await found(price - 19, priced(price))
    const after = await engine.search('lamp light', { explain: true })
    expect(after.explain?.scores).toEqual(before.explain?.scores)
    expect(after.results[0]!.score).toBe(before.results[0]!.score)
    expect(after.receipt).toMatchObject({ captures: 1, declared: 1, segments: 1 })
    expect(await engine.stats()).toMatchObject({ captures: 1, urls: 1, segments: 1 })
    // No search reads prices, so there are no rows for them.
    expect(await stored()).toEqual({ revisions: 8, rows: 0 })
  })

  it('includes the markup and white space of the text that were valid at T, in any order of arrival', async () => {
    const forms = ['A *lamp* for the desk.', 'A lamp for  the desk.', 'A [lamp](https://a.example/) for the desk.']
    const given = forms.map((markdown, i) => ({ url, title: 'Lamp', markdown, acquiredAt: day(2 * i + 1) }))
    const answers = []
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 0, 2],
    ]) {
      await engine.purge(url)
      for (const i of order) expect(await engine.add([given[i]!])).toMatchObject({ failures: [], warnings: [] })
      // Turns the later revision into a capture, which keeps the text as written at that time.
      await engine.add([{ url, title: 'Lamp', markdown: 'A chair.', acquiredAt: day(4) }])
      answers.push(await Promise.all([1, 3, 4, 5].map(number => engine.page(url, { queryTime: day(number) }))))
      expect(await engine.history(url)).toMatchObject({
        versions: [
          { changed: [] },
          { kind: 'revision', changed: ['markup'] },
          { kind: 'capture' },
          { kind: 'capture' },
        ],
      })
    }
    expect(answers[0]!.map(page => page?.markdown)).toEqual([forms[0], forms[1], 'A chair.', forms[2]])
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
  })

  it('includes structured data, with the keys of each object sorted', async () => {
    await found(1, { data: [{ offers: { price: 1, currency: 'EUR' }, '@type': 'Product' }] })
    expect(JSON.stringify((await engine.page(url))?.data)).toBe(
      '[{"@type":"Product","offers":{"currency":"EUR","price":1}}]',
    )
  })

  it('includes the publish date that was valid at T, in filters and in results', async () => {
    await found(1)
    await found(3, { publishedAt: day(2) })
    await found(5, { publishedAt: day(4) })
    const dates = async (queryTime: number, filter = {}) => {
      const { results, receipt } = await engine.search('lamp', { queryTime, ...filter })
      return [results.map(({ publishedAt }) => publishedAt), receipt.undated]
    }
    expect(await dates(day(2))).toEqual([[undefined], 0])
    expect(await dates(day(2), { publishedAfter: day(1) })).toEqual([[], 1])
    expect(await dates(day(4), { publishedAfter: day(1) })).toEqual([[day(2)], 0])
    expect(await dates(day(4), { publishedAfter: day(3) })).toEqual([[], 0])
    expect(await dates(day(6), { publishedAfter: day(3) })).toEqual([[day(4)], 0])
    expect(await dates(day(6), { publishedBefore: day(3) })).toEqual([[], 0])
  })

  it('affects the ranking by the publish date that was valid at T if the query asks for the newest', async () => {
    const page = (name: string, acquiredAt: number, publishedAt: number): CaptureInput => {
      const words = name === 'a' ? 'weather report with sun' : 'weather report with rain'
      return { url: `https://${name}.example/`, title: 'Weather report', text: words, acquiredAt, publishedAt }
    }
    await engine.add([page('a', day(5), day(2)), page('b', day(5), day(4))])
    const first = async (queryTime: number) => {
      return (await engine.search('latest weather report', { queryTime })).results[0]?.url
    }
    expect(await first(day(6))).toBe('https://b.example/')
    await engine.add([page('a', day(20), day(19))])
    expect(await first(day(21))).toBe('https://a.example/')
    expect(await first(day(6))).toBe('https://b.example/')
  })

  it('provides the snippet with the description that was valid at T', async () => {
    const bare = { url: 'https://shop.example/bare', title: 'Bare lamp', text: '' }
    await engine.add([{ ...bare, acquiredAt: day(1), description: 'an old lamp' }])
    await engine.add([{ ...bare, acquiredAt: day(3), description: 'a new lamp' }])
    const snippet = async (queryTime: number) => (await engine.search('bare', { queryTime })).results[0]?.snippet.text
    expect([await snippet(day(2)), await snippet(day(4))]).toEqual(['an old lamp', 'a new lamp'])
  })

  it('matches author:, type: and lang: as of T, on search threads that start later, too', async () => {
    await found(1, { author: 'Ann Smith', lang: 'en' })
    await found(5, { author: 'Bob van Dyke', lang: 'en-GB', kind: 'product' })
    await engine.close()
    await opened({ searchThreads: 2 })
    const counts = async (queryTime: number) => {
      const queries = ['author:smith', 'author:"van dyke"', 'author:dy*', 'type:product', 'lang:en', 'lang:en-gb']
      const answers = await Promise.all(queries.map(query => engine.search(query, { mode: 'webql', queryTime })))
      return answers.map(({ results }) => results.length)
    }
    expect(await counts(day(2))).toEqual([1, 0, 0, 0, 1, 0])
    expect(await counts(day(6))).toEqual([0, 1, 1, 1, 1, 1])
    await found(8, { author: 'Ann Smith' })
    expect(await counts(day(9))).toEqual([1, 0, 0, 0, 1, 0])
  })

  it('does not change the language by which the words of a capture are analyzed when the declared language changes', async () => {
    const german = { title: 'Häuser', text: 'Die Häuser am Fluss und die Gärten der Stadt sind alt und schön.' }
    await found(1, { ...german, lang: 'de' })
    await found(5, { ...german, lang: 'en' })
    const { results } = await engine.search('Haus', { language: 'de' })
    expect(results).toMatchObject([{ url, language: 'de' }])
    expect((await engine.page(url))?.lang).toBe('en')
    for (const query of ['lang:en', 'lang:de'])
      expect((await engine.search(query, { mode: 'webql' })).results).toHaveLength(1)
  })

  it('survives a merge and a restart', async () => {
    await found(1, { author: 'Ann' })
    await found(5, { author: 'Bob', publishedAt: day(4) })
    await engine.add([{ url: 'https://other.example/', text: 'Another lamp.', acquiredAt: day(2) }])
    const answer = async () => {
      const { results } = await engine.search('lamp author:bob', { mode: 'webql', publishedAfter: day(3) })
      return results.map(({ url, publishedAt }) => [url, publishedAt])
    }
    expect(await answer()).toEqual([[url, day(4)]])
    await engine.close()
    await opened({ mergePolicy: segments => (segments.length > 1 ? segments.map(({ id }) => id) : []) })
    await engine.add([{ url: 'https://third.example/', text: 'A chair.' }])
    await expect.poll(async () => (await engine.stats()).segments).toBe(1)
    expect(await answer()).toEqual([[url, day(4)]])
  })

  it('is deleted completely by a purge of its page', async () => {
    await found(1, { author: 'Ann' })
    await found(5, { author: 'Bob' })
    expect(await stored()).toEqual({ revisions: 1, rows: 1 })
    expect(await engine.purge(url)).toBe(1)
    expect(await stored()).toEqual({ revisions: 0, rows: 0 })
    expect((await engine.search('author:bob OR author:ann', { mode: 'webql' })).results).toEqual([])
  })

  it('has the end of its validity only on request', async () => {
    await found(1)
    await found(3, { author: 'Bob' })
    await found(5, { text: 'A chair.' })
    clock = day(40)
    await engine.remove(url)
    const ends = await Promise.all(
      [day(2), day(4), day(6)].map(queryTime => engine.page(url, { queryTime, supersededAt: true })),
    )
    expect(ends.map(page => page?.supersededAt)).toEqual([day(3), day(5), day(40)])
    expect(await engine.page(url, { queryTime: day(2) })).not.toHaveProperty('supersededAt')
    await engine.add([{ url, text: 'A chair again.' }])
    expect((await engine.page(url))?.supersededAt).toBeUndefined()
  })
})

describe('a capture that repeats what was observed before it', () => {
  it('is removed from every statistic and from the disk', async () => {
    await found(5, priced(20))
    await engine.add([{ url: 'https://other.example/', text: 'Another lamp.', acquiredAt: day(2) }])
    expect(await found(3, priced(20))).toMatchObject({ added: 1 })
    const alone = await open(join(root, 'alone'), { now: () => clock, searchThreads: 0 })
    await alone.add([{ url: 'https://other.example/', text: 'Another lamp.', acquiredAt: day(2) }])
    for (const acquiredAt of [day(3), day(5)])
      await alone.add([{ url, title: 'Lamp', text, acquiredAt, ...priced(20) }])
    const [late, right] = await Promise.all([engine.search('lamp'), alone.search('lamp')])
    expect(late.results).toEqual(right.results)
    expect({ ...late.receipt, segments: 0 }).toEqual({ ...right.receipt, segments: 0 })
    expect(late.receipt).toMatchObject({ captures: 2, purged: 0, dropped: 0 })
    expect(await engine.page(url)).toEqual(await alone.page(url))
    await alone.close()
    await engine.close()
    expect(await examine(dir)).toMatchObject({ sound: true, captures: 2, strays: 0 })
    await opened()
  })

  it('counts as declared only if the observation that remains a capture was declared', async () => {
    await engine.add([{ url, text }])
    expect((await engine.search('lamp')).receipt.declared).toBe(0)
    await engine.add([{ url, text, acquiredAt: day(3) }])
    expect((await engine.search('lamp')).receipt).toMatchObject({ captures: 1, declared: 1 })
    // Another text between the two turns the later observation, which has no declared time, into a capture again.
    await engine.add([{ url, text: 'A chair.', acquiredAt: day(4) }])
    expect((await engine.search('lamp')).receipt).toMatchObject({ captures: 1, declared: 2 })
    expect(await engine.stats()).toMatchObject({ captures: 3 })
  })
})

describe('a damaged index with revisions', () => {
  beforeEach(async () => {
    await found(1, { author: 'Ann' })
    await found(5, { author: 'Bob' })
    await found(7, { author: 'Ann' })
    await engine.close()
  })

  it('is detected if the revisions for searches differ from those in the history', async () => {
    await tamper(dir, database => database.del(revisionRowsKey(1)))
    const { sound, problems } = await examine(dir)
    expect([sound, problems]).toEqual([false, [expect.stringContaining('other revisions')]])
    const report = await repair(dir)
    expect(report).toMatchObject({ lost: [], revisionsLost: 0 })
    await opened()
    expect((await engine.search('author:bob', { mode: 'webql', queryTime: day(6) })).results).toHaveLength(1)
  })

  it('keeps the removal of a page whose captures are declared only later', async () => {
    await opened()
    clock = day(31)
    const gone = 'https://gone.example/'
    await engine.remove(gone)
    await engine.close()
    await tamper(dir, database => database.del(revisionRowsKey(1)))
    await repair(dir)
    expect(await examine(dir)).toMatchObject({ sound: true, urls: 1 })
    await opened()
    await engine.add([{ url: gone, text: 'It was there.', acquiredAt: day(20) }])
    expect(await engine.page(gone)).toBeUndefined()
    expect(await engine.page(gone, { queryTime: day(25) })).toMatchObject({ acquiredAt: day(20) })
    await engine.close()
  })

  it('keeps the metadata from before a revision that is lost', async () => {
    await tamper(dir, database => database.del(revisionKey(2)))
    expect((await examine(dir)).sound).toBe(false)
    expect(await repair(dir)).toMatchObject({ lost: [], revisionsLost: 1, captures: 1 })
    expect(await examine(dir)).toMatchObject({ sound: true, strays: 0 })
    await opened()
    expect(await engine.page(url, { queryTime: day(6) })).toMatchObject({ author: 'Ann', lastSeenAt: day(5) })
    expect(await engine.page(url)).toMatchObject({ author: 'Ann', lastSeenAt: day(7) })
    await engine.close()
  })
})

describe('an invalid value', () => {
  it('is named in the report with the reason, and the capture is stored without it or with a part of it', async () => {
    const long = 'x'.repeat(600)
    const report = await engine.add([
      { url, text, acquiredAt: day(3), publishedAt: day(4) },
      { url: 'https://b.example/', text, author: long, publishedFrom: { source: 'meta', precision: 'day' } },
      { url: 'https://c.example/', text, publishedAt: day(31) },
    ])
    expect(report).toEqual({
      added: 3,
      revised: 0,
      unchanged: 0,
      removed: 0,
      failures: [],
      warnings: [
        { url, field: 'publishedAt', reason: 'later than acquiredAt: left out' },
        { url: 'https://b.example/', field: 'author', reason: 'longer than 500 UTF-16 units: cut to 500' },
        { url: 'https://b.example/', field: 'publishedFrom', reason: 'publishedAt is missing: left out' },
        { url: 'https://c.example/', field: 'publishedAt', reason: 'later than the moment of the call: left out' },
      ],
      withoutText: [],
      replaced: [],
    })
    expect((await engine.page(url))?.publishedAt).toBeUndefined()
    expect((await engine.page('https://b.example/'))?.author).toHaveLength(500)
  })
})

describe('an alias', () => {
  it('leads as of T to the page that it led to at T, in any order of arrival', async () => {
    const page = (name: string, number: number): CaptureInput => {
      const own = `https://${name}.example/`
      return { url: own, text: `page ${name}`, acquiredAt: day(number), aliases: ['https://alias.example/'] }
    }
    await engine.add([page('c', 9), page('a', 1)])
    await engine.add([page('b', 5)])
    const led = await Promise.all(
      [day(2), day(6), day(10)].map(queryTime => engine.page('https://alias.example/', { queryTime })),
    )
    expect(led.map(found => found?.url)).toEqual(['https://a.example/', 'https://b.example/', 'https://c.example/'])
    await engine.purge('https://c.example/')
    expect((await engine.page('https://alias.example/'))?.url).toBe('https://b.example/')
  })
})

describe('a revision in the same millisecond as its capture', () => {
  it('is found by its author as of that millisecond, also after a later revision', async () => {
    const at = day(1)
    await engine.add([{ url, text: 'A lamp.', acquiredAt: at }])
    await engine.add([{ url, text: 'A lamp.', author: 'Bob', acquiredAt: at }])
    await engine.add([{ url, text: 'A lamp.', acquiredAt: day(3) }])
    const byBob = async (queryTime: number) =>
      (await engine.search('author:bob', { mode: 'webql', queryTime })).results.length
    expect([await byBob(at), await byBob(day(2)), await byBob(day(3))]).toEqual([1, 1, 0])
  })
})
