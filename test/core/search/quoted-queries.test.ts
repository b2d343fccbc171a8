import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AsofError, type Engine, open, type SearchOptions } from '../../../core/index.ts'

const START = Date.UTC(2025, 0, 1)
const AS_WORDS = /no page has everything in quotation marks/

let engine: Engine
let now: number
beforeEach(async () => {
  now = START
  engine = await open(':memory:', { now: () => now })
})
afterEach(async () => {
  await engine.close()
})

async function add(pages: Record<string, string>): Promise<void> {
  now += 1000
  await engine.add(Object.entries(pages).map(([path, text]) => ({ url: `https://example.com/${path}`, text })))
}

async function paths(query: string, options: SearchOptions = {}): Promise<string[]> {
  const { results } = await engine.search(query, options)
  return results.map(({ url }) => new URL(url).pathname.slice(1))
}

const modes = ['pro', 'realtime'] as const

describe('a query with quotation marks', () => {
  it.each(modes)('requires its phrases as long as some page contains all of them, in %s', async mode => {
    await add({ both: 'an old bridge of stone, a stone bridge', words: 'a bridge and a stone bridge bridge stone' })
    await add({ apart: 'bridge of bare stone' })
    const answer = await engine.search('“stone bridge” old', { mode })
    expect(answer.results.map(({ url }) => url)).toHaveLength(2)
    expect(answer.warning).toBeUndefined()
    expect(await paths('"stone bridge" "old bridge"', { mode })).toEqual(['both'])
  })

  it.each(modes)('is searched for as words, with a warning, if no page contains all phrases, in %s', async mode => {
    await add({ one: 'a bridge of stone', two: 'the stone was old', none: 'a ferry' })
    for (const quoted of ['the "stone bridge"', 'the “stone bridge”', 'the «stone bridge»', 'the ‘stone bridge’']) {
      const { results, warning } = await engine.search(quoted, { mode, explain: true })
      const plain = await engine.search('the stone bridge', { mode })
      expect(plain.warning).toBeUndefined()
      expect(warning, quoted).toMatch(AS_WORDS)
      // No page contains the phrase, so the answer is that of the plain query, including scores.
      expect(results).toEqual(plain.results)
    }
  })

  it.each(modes)('ranks a page that contains a phrase above one with the same words apart, in %s', async mode => {
    await add({ phrase: 'ferry boats of the old town' })
    await add({ apart: 'town of the old ferry boats' })
    const plain = await engine.search('old town stone bridge', { mode: 'realtime' })
    expect(plain.results.map(({ url, score }) => [new URL(url).pathname, score])).toEqual([
      ['/apart', plain.results[0]!.score],
      ['/phrase', plain.results[0]!.score],
    ])
    const { results, warning, explain } = await engine.search('"old town" "stone bridge"', { mode, explain: true })
    expect(warning).toMatch(AS_WORDS)
    expect(results.map(({ url }) => new URL(url).pathname)).toEqual(['/phrase', '/apart'])
    const parts = explain?.scores.map(list => list.filter(part => 'term' in part && part.term.startsWith('"')))
    expect(parts).toMatchObject([[{ term: '"old town"', frequency: 1 }], []])
    results.forEach(({ score }, i) => {
      expect(explain?.scores[i]?.reduce((sum, part) => sum + part.score, 0)).toBe(score)
    })
  })

  it('depends only on captures up to the instant', async () => {
    await add({ early: 'a bridge of stone' })
    const before = now
    await add({ late: 'the stone bridge' })
    expect((await engine.search('"stone bridge"')).warning).toBeUndefined()
    expect(await paths('"stone bridge"')).toEqual(['late'])
    const past = await engine.search('"stone bridge"', { queryTime: before })
    expect(past.results.map(({ url }) => url)).toEqual(['https://example.com/early'])
    expect(past.warning).toMatch(AS_WORDS)
  })

  it('keeps its filters and exclusions when its phrases become words', async () => {
    await engine.add([
      { url: 'https://a.example/1', text: 'the stone bridge' },
      { url: 'https://b.example/2', text: 'a bridge of stone' },
      { url: 'https://b.example/3', text: 'a bridge of stone and an old town' },
    ])
    const onB = await engine.search('"stone bridge" site:b.example')
    expect(onB.results.map(({ url }) => url).sort()).toEqual(['https://b.example/2', 'https://b.example/3'])
    expect(onB.warning).toMatch(AS_WORDS)
    const urls = async (query: string) => (await engine.search(query)).results.map(({ url }) => url)
    expect(await urls('"stone bridge" site:b.example -town')).toEqual(['https://b.example/2'])
    expect(await urls('"stone bridge" site:b.example -“old town”')).toEqual(['https://b.example/2'])
    expect(await urls('"stone bridge" -bridge')).toEqual([])
  })

  it('has no warning if its words find nothing either', async () => {
    await add({ one: 'a bridge of stone' })
    expect(await engine.search('"no such phrase xyzzy"')).toMatchObject({ results: [] })
    expect((await engine.search('"xyzzy plugh"')).warning).toBeUndefined()
  })

  it('is never spelling-corrected, not even when searched for as words', async () => {
    await add({ one: 'a bridge of stone' })
    expect((await engine.search('brigde')).warning).toMatch(/showing results for bridge/)
    expect((await engine.search('"brigde"')).results).toEqual([])
    const { results, warning } = await engine.search('"brigde of stone"')
    expect(results).toHaveLength(1)
    expect(warning).toMatch(AS_WORDS)
    expect(results[0]!.snippet.highlights.map(([from, to]) => results[0]!.snippet.text.slice(from, to))).toEqual([
      'stone',
    ])
  })

  it('splits unknown compounds when its phrases become words', async () => {
    await add({ one: 'the river of stone', two: 'a ferry' })
    expect(await paths('"riverstone ferry boats"')).toEqual(expect.arrayContaining(['one', 'two']))
  })

  it('requires its phrases in the full query language, which accepts the same quotation marks', async () => {
    await add({ one: 'a bridge of stone', two: 'stone bridge' })
    const webql = { mode: 'webql' as const }
    expect(await engine.search('"bridge stone"', webql)).toMatchObject({ results: [] })
    expect((await engine.search('"bridge stone"', webql)).warning).toBeUndefined()
    for (const quoted of [
      '“stone bridge”',
      '„stone bridge“',
      '«stone bridge»',
      '‹stone bridge›',
      '「stone bridge」',
      '‘stone bridge’',
    ])
      expect(await paths(quoted, webql), quoted).toEqual(['two'])
    await expect(engine.search('"stone bridge', webql)).rejects.toMatchObject({
      code: 'ASOF_INVALID_QUERY',
      details: { position: 0 },
    })
  })

  it('finds a pasted sentence with any kind of quotation marks', async () => {
    await add({ post: 'He said the stone bridge fell, and don’t ask me why' })
    for (const pasted of [
      'He said: “the stone bridge had fallen” and «don’t ask»',
      'He said "the stone bridge "had fallen',
      'He said „the stone bridge had fallen”, don’t ask',
      '「stone bridge」 had fallen ＂why not＂',
    ])
      expect(await paths(pasted), pasted).toEqual(['post'])
  })

  it('gets the same answer on search threads', async () => {
    await add({ one: 'a bridge of stone', two: 'the old town' })
    const other = await mkdtemp(join(tmpdir(), 'asof-quoted-'))
    const threaded = await open(other, { now: () => now, searchThreads: 1 })
    try {
      await threaded.add([
        { url: 'https://example.com/one', text: 'a bridge of stone' },
        { url: 'https://example.com/two', text: 'the old town' },
      ])
      for (const query of ['"stone bridge" "old town"', 'site:example.com']) {
        const [here, there] = [await engine.search(query), await threaded.search(query)]
        expect(there.warning).toBe(here.warning)
        expect(there.results.map(({ url, score }) => [url, score])).toEqual(
          here.results.map(({ url, score }) => [url, score]),
        )
      }
    } finally {
      await threaded.close()
      await rm(other, { recursive: true })
    }
  })

  it('joins all warnings', async () => {
    const failing = await open(':memory:', {
      searchThreads: 0,
      onWarning: () => undefined,
      rerank: {
        model: 'down',
        rerank: async () => {
          throw new AsofError('ASOF_MODEL_FAILED', 'it is down')
        },
      },
    })
    try {
      await failing.add(
        ['a bridge of stone', 'stone by a bridge'].map((text, i) => ({ url: `https://e.x/${i}`, text })),
      )
      const { warning } = await failing.search('"stone bridge"')
      expect(warning).toMatch(/no page has everything in quotation marks.*; answered without reranking: /)
    } finally {
      await failing.close()
    }
  })
})
