import { deepEqual, equal, ok } from 'node:assert/strict'
import type { ResultPassagesOptions, SearchOptions } from '../search/search-answer.ts'
import { type ContractIt, page, rejectsWith, SECOND_MS, START_AT, testUrl } from './test-engines.ts'

const pools = page('pools', '', {
  text: undefined,
  markdown: '# Pools\n\nA pool keeps connections.\n\n## Idle\n\nIdle connections are closed after 10 s.\n\nOther text.',
})

export function passagesContract(it: ContractIt): void {
  it('passages are slices of the Markdown of their pages, and can be verified', async engines => {
    const engine = await engines.openWith(pools, page('other', 'Connections of trains, closed on Sundays.'))
    const { passages, chars } = await engine.passages('closed connections')
    deepEqual(new Set(passages.map(({ url }) => url)), new Set([testUrl('pools'), testUrl('other')]))
    for (const { url, text, start, end } of passages) {
      equal((await engine.page(url))?.markdown.slice(start, end), text)
      equal((await engine.verify({ url, quote: text })).verdict, 'verbatim')
    }
    equal(
      chars,
      passages.reduce((sum, { text }) => sum + text.length, 0),
    )
    const idle = passages.find(({ text }) => text.includes('Idle connections'))
    deepEqual(idle?.context, ['Pools', 'Idle'])
  })

  it('passages as of queryTime are those of an index without anything later', async engines => {
    const engine = await engines.openWith(pools)
    const queryTime = engines.now
    const before = (await engine.passages('closed connections')).passages
    engines.now += 10 * SECOND_MS
    await engine.add([page('pools', 'Connections stay open.'), page('more', 'Closed connections, closed connections.')])
    await engine.remove(testUrl('more'))
    deepEqual((await engine.passages('closed connections', { queryTime })).passages, before)
    const now = (await engine.passages('closed connections')).passages
    deepEqual(
      now.map(({ text }) => text),
      ['Connections stay open.'],
    )
    deepEqual((await engine.passages('closed connections', { queryTime: START_AT - 1 })).passages, [])
  })

  it('passages keep to the numbers of characters and tokens, and of passages of a page', async engines => {
    const paragraphs = Array.from(
      { length: 40 },
      (_, i) => `River number ${i} flows ${'far '.repeat(i % 7)}north.\n\nA line.`,
    )
    const engine = await engines.openWith(page('rivers', paragraphs.join('\n\n')))
    for (const maxChars of [180, 500, 1_000]) {
      const { passages, chars } = await engine.passages('river', { maxChars })
      ok(chars <= maxChars && chars > 0)
      ok(passages.length > 0)
    }
    const { tokens } = await engine.passages('river', { maxTokens: 60 })
    ok(tokens <= 60 && tokens > 0)
    equal((await engine.passages('river', { maxPerPage: 2 })).passages.length, 2)
  })

  it('results of a search have the passages of their own pages, as of queryTime', async engines => {
    const engine = await engines.openWith(pools, page('other', 'Connections of trains, closed on Sundays.'))
    const queryTime = engines.now
    const wanted = { maxChars: 600 }
    const search = (options: SearchOptions) => engine.search('closed connections', { passages: wanted, ...options })
    const before = (await search({})).results
    equal(before.length, 2)
    for (const { url, passages = [] } of before) {
      ok(passages.length > 0)
      for (const { text, start, end } of passages) equal((await engine.page(url))?.markdown.slice(start, end), text)
    }
    deepEqual(before.flatMap(({ passages = [] }) => passages).find(({ text }) => text.includes('Idle'))?.context, [
      'Pools',
      'Idle',
    ])
    deepEqual(Object.keys((await engine.search('closed connections')).results[0]!).includes('passages'), false)
    engines.now += 10 * SECOND_MS
    await engine.add([page('pools', 'Closed connections come later.'), page('more', 'Closed connections.')])
    deepEqual((await search({ queryTime })).results, before)
    const { results } = await search({ sites: ['example.com'] })
    deepEqual(
      new Set(results.flatMap(({ passages = [] }) => passages.map(({ text }) => text))),
      new Set(['Closed connections come later.', 'Closed connections.', 'Connections of trains, closed on Sundays.']),
    )
    // The page of a URL has the beginning of its text.
    deepEqual(
      (await engine.search(testUrl('pools'), { passages: wanted, queryTime })).results[0]?.passages?.[0]?.text,
      'A pool keeps connections.',
    )
  })

  it('passages of results keep to their lengths, and may answer another query', async engines => {
    const long = 'Boats leave the harbor at noon and come back. '.repeat(30)
    const engine = await engines.openWith(
      page('harbor', '', {
        text: undefined,
        markdown: `Ships and boats.\n\n${long}\n\n- Fish costs 4 euros.\n- Salt costs 1 euro.`,
      }),
    )
    const passagesOf = async (passages: ResultPassagesOptions) =>
      (await engine.search('boats', { passages })).results[0]?.passages ?? []
    for (const [maxChars, maxLength] of [
      [180, 180],
      [600, 200],
      [1_000, 500],
    ] as const) {
      const passages = await passagesOf({ maxChars, maxLength })
      ok(passages.length > 0)
      ok(passages.every(({ text }) => text.length <= maxLength))
      ok(passages.reduce((sum, { text }) => sum + text.length, 0) <= maxChars)
    }
    const [fish] = await passagesOf({ maxChars: 180, query: 'what does the fish cost?' })
    ok(fish?.text.includes('Fish costs 4 euros.'))
    // Nothing answers it, so the page has its beginning.
    deepEqual((await passagesOf({ maxChars: 180, query: 'the of' }))[0]?.text, 'Ships and boats.')
  })

  it('passages of results rejects wrong options, and check does the same', async engines => {
    const engine = await engines.open()
    const wrong = [
      {},
      { maxChars: 179 },
      { maxChars: 10_001 },
      { maxChars: 600, maxLength: 2_001 },
      { maxChars: 600, most: 1 },
    ]
    for (const passages of wrong)
      for (const call of [engine.search, engine.check].map(method => method.bind(engine)))
        await rejectsWith('ASOF_INVALID_OPTION', () => call('fox', { passages: passages as ResultPassagesOptions }))
  })

  it('passages rejects limits that are out of range', async engines => {
    const engine = await engines.open()
    const wrong = [
      { maxChars: 179 },
      { maxChars: 50_001 },
      { maxTokens: 49 },
      { maxTokens: 1_000.5 },
      { maxPerPage: 0 },
    ]
    for (const options of wrong)
      await rejectsWith('ASOF_INVALID_OPTION', () => engine.passages('a', options), Object.keys(options)[0])
  })
}
