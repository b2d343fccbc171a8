import { deepEqual, equal, ok } from 'node:assert/strict'
import type { SearchAnswer, SearchOptions } from '../search/search-answer.ts'
import { type ContractIt, found, page, rejectsWith, SECOND_MS, START_AT, testUrl } from './test-engines.ts'

/** Pages with common words, some of them in several versions, declared as acquired one second apart. */
const history = Array.from({ length: 60 }, (_, i) =>
  page(`p${(i * 7) % 20}`, `river ${i % 3 === 0 ? 'stone' : 'light'} ${'water '.repeat(i % 5)} version${i}`, {
    acquiredAt: START_AT + i * SECOND_MS,
  }),
)
const END_AT = START_AT + 60 * SECOND_MS
const queries = ['river', 'river stone', 'water light', '"river stone"', 'version17']

/** Returns the parts of results that are equal in two indexes with the same pages. */
function essence({ results }: SearchAnswer): unknown {
  return results.map(({ url, score, acquiredAt, snippet }) => ({ url, score, acquiredAt, snippet }))
}

export function searchContract(it: ContractIt): void {
  it('finds the text that was current at queryTime', async engines => {
    const engine = await engines.openWith(page('a', 'red fox'))
    engines.now += 10 * SECOND_MS
    await engine.add([page('a', 'blue whale')])
    const before = START_AT + 5 * SECOND_MS
    deepEqual(await found(engine, 'fox', before), [testUrl('a')])
    deepEqual(await found(engine, 'whale', before), [])
    deepEqual(await found(engine, 'fox'), [])
    deepEqual(await found(engine, 'whale'), [testUrl('a')])
    deepEqual(await found(engine, 'fox', START_AT - 1), [])
  })

  it('answers as of T exactly as an index that holds only the captures up to T', async engines => {
    engines.now = END_AT
    const whole = await engines.openWith(...history)
    for (const count of [7, 31]) {
      const early = await engines.openWith(...history.slice(0, count))
      const queryTime = START_AT + (count - 1) * SECOND_MS
      for (const query of queries)
        for (const options of [{ queryTime }, { queryTime, mode: 'realtime' as const }, { queryTime, maxResults: 3 }])
          deepEqual(essence(await whole.search(query, options)), essence(await early.search(query, options)))
    }
  })

  it('never changes an answer as of an instant that has passed', async engines => {
    const engine = await engines.openWith(page('a', 'red fox'), page('b', 'red panda'))
    engines.now += SECOND_MS
    const queryTime = engines.now
    const answer = await engine.search('red', { queryTime })
    engines.now += SECOND_MS
    await engine.add([page('c', 'red red red'), page('a', 'green frog')])
    await engine.remove(testUrl('b'))
    deepEqual(essence(await engine.search('red', { queryTime })), essence(answer))
  })

  it('answers the same in whatever order and commits declared captures arrive', async engines => {
    engines.now = END_AT
    const inOrder = await engines.openWith(...history)
    const shuffled = await engines.open()
    for (const capture of history.toSorted((a, b) => ((a.text ?? '') < (b.text ?? '') ? -1 : 1)))
      await shuffled.add([capture])
    for (const query of queries) deepEqual(essence(await shuffled.search(query)), essence(await inOrder.search(query)))
  })

  it('orders by score, then newer acquiredAt, then URL', async engines => {
    engines.now = END_AT
    const at = (seconds: number) => ({ title: 'Same', acquiredAt: START_AT + seconds * SECOND_MS })
    const engine = await engines.openWith(
      page('b', 'red fox', at(1)),
      page('a', 'red fox', at(1)),
      page('old', 'red fox', at(0)),
      page('new', 'red fox', at(2)),
    )
    deepEqual(
      (await engine.search('red fox', { mode: 'realtime' })).results.map(({ url }) => url),
      ['new', 'a', 'b', 'old'].map(testUrl),
    )
    const { results } = await engine.search('red fox')
    const scores = results.map(({ score }) => score)
    deepEqual(
      scores,
      scores.toSorted((a, b) => b - a),
    )
  })

  it('applies site, acquired, published and maxResults', async engines => {
    engines.now = END_AT
    const engine = await engines.openWith(page('a', 'red fox', { publishedAt: '2020-05-01', acquiredAt: START_AT }), {
      ...page('b', 'red fox'),
      url: 'https://other.example/b',
      acquiredAt: START_AT + SECOND_MS,
    })
    const urls = async (options: SearchOptions) => (await engine.search('fox', options)).results.map(({ url }) => url)
    deepEqual(await urls({ site: 'example.com' }), [testUrl('a')])
    deepEqual(await urls({ acquiredAfter: START_AT + SECOND_MS }), ['https://other.example/b'])
    deepEqual(await urls({ publishedBefore: '2021-01-01' }), [testUrl('a')])
    equal((await urls({ maxResults: 1 })).length, 1)
  })

  it('answers a query that is a tree as its text, and names the part that is wrong', async engines => {
    const engine = await engines.openWith(page('a', 'a red arctic fox'), page('b', 'a red toy fox'))
    const asTree = await engine.search({ all: ['red', { prefix: 'arct' }], not: 'toy' })
    deepEqual(asTree, await engine.search('red arct* NOT toy', { mode: 'webql' }))
    deepEqual(
      asTree.results.map(({ url }) => url),
      [testUrl('a')],
    )
    for (const call of [engine.search, engine.check].map(method => method.bind(engine)))
      await rejectsWith('ASOF_INVALID_QUERY', () => call({ all: ['red', { phrase: '' }] }), 'query.all[1].phrase')
  })

  it('lists all pages for an empty query, with facets, in an order by value, page by page, as of queryTime', async engines => {
    engines.now = END_AT
    const lamps = Array.from({ length: 7 }, (_, i) =>
      page(`p${i}`, 'red lamp', {
        acquiredAt: START_AT + i * SECOND_MS,
        fields: i < 6 ? { tag: i % 2 === 0 ? 'even' : 'odd', price: (i * 5) % 7 } : { tag: 'even' },
      }),
    )
    const engine = await engines.openWith(...lamps)
    const urls = async (options: SearchOptions) => (await engine.search('', options)).results.map(({ url }) => url)
    deepEqual(await urls({ maxResults: 2 }), ['p6', 'p5'].map(testUrl))
    // The prices of p0 to p5 are 0, 5, 3, 1, 6 and 4.
    deepEqual(await urls({ sort: 'price:desc' }), ['p4', 'p1', 'p5', 'p2', 'p3', 'p0', 'p6'].map(testUrl))
    deepEqual(await urls({ sort: 'price', excludeSites: ['example.com'] }), [])
    const queryTime = START_AT + 4 * SECOND_MS
    const options: SearchOptions = { sort: 'price', facets: ['tag', 'price:5'], maxResults: 2, queryTime }
    const first = await engine.search('lamp', options)
    deepEqual(
      first.results.map(({ url }) => url),
      ['p0', 'p3'].map(testUrl),
    )
    const [even, odd] = [
      { value: 'even', count: 3 },
      { value: 'odd', count: 2 },
    ]
    const [low, high] = [
      { value: 0, count: 3 },
      { value: 5, count: 2 },
    ]
    deepEqual(first.facets, [
      { field: 'tag', values: [even, odd] },
      { field: 'price:5', values: [low, high] },
    ])
    deepEqual(first.total, { value: 5, exact: true })
    const second = await engine.search('lamp', { ...options, cursor: first.next ?? '' })
    const third = await engine.search('lamp', { ...options, cursor: second.next ?? '' })
    deepEqual(
      [...second.results, ...third.results].map(({ url }) => url),
      ['p2', 'p1', 'p4'].map(testUrl),
    )
    equal(third.next, undefined)
    const plain = await engine.search('lamp', { queryTime })
    deepEqual([plain.facets, plain.total, plain.next], [undefined, undefined, undefined])
  })

  it('rejects a cursor of another request, or of none, and wrong facets, sorts and offsets', async engines => {
    const engine = await engines.openWith(page('a', 'fox', { fields: { tag: 'x', price: 1 } }), page('b', 'fox'))
    const { next: cursor = '' } = await engine.search('fox', { maxResults: 1, offset: 0 })
    ok(cursor)
    const wrong: [SearchOptions, string][] = [
      [{ cursor, sort: 'price' }, 'cursor'],
      [{ cursor: 'x' }, 'cursor'],
      [{ cursor, offset: 1 }, 'offset'],
      [{ offset: 10_001 }, 'offset'],
      [{ sort: 'tag' }, 'sort'],
      [{ sort: 'price:up' }, 'sort'],
      [{ facets: ['tag:10'] }, 'facets'],
      [{ facets: ['tag', 'tag'] }, 'facets'],
      [{ facets: ['price:1*'] }, 'facets'],
      [{ facets: ['tag'], maxFacetValues: 0 }, 'maxFacetValues'],
      [{ sites: ['not a domain'] }, 'sites'],
    ]
    for (const [options, field] of wrong)
      await rejectsWith('ASOF_INVALID_OPTION', () => engine.search('fox', options), field)
    await rejectsWith('ASOF_INVALID_OPTION', () => engine.search('vixen', { cursor }), 'cursor')
  })

  it('highlights the words found in a snippet', async engines => {
    const engine = await engines.openWith(page('a', 'the quick red fox sleeps'))
    const { results } = await engine.search('fox')
    const { text, highlights } = results[0]?.snippet ?? { text: '', highlights: [] }
    ok(highlights.some(([start, end]) => text.slice(start, end) === 'fox'))
  })

  it('keeps to the paths of sites, and counts what is below them, as of queryTime', async engines => {
    engines.now = END_AT
    const paths = ['docs', 'docs/a', 'docs/a?x=1', 'docsearch', 'Docs/a', 'other/docs', 'docs/caf%c3%a9/b', '']
    const pages = paths.map((path, i) =>
      page(path, `red fox number${i}`, { acquiredAt: START_AT + i * SECOND_MS, fields: { part: `p${i}` } }),
    )
    const elsewhere = [
      { ...page('docs/sub', 'red fox sub'), url: 'https://www.example.com/docs/sub', acquiredAt: START_AT },
      { ...page('docs/far', 'red fox far'), url: 'https://other.example/docs/far', acquiredAt: START_AT },
    ]
    const engine = await engines.openWith(...pages, ...elsewhere)
    const matches = async (options: SearchOptions, query = 'fox') => {
      const { results, total, facets } = await engine.search(query, { maxResults: 50, sort: 'acquiredAt', ...options })
      equal(total?.value, results.length)
      equal(total.exact, true)
      equal((await engine.search(query, { ...options, maxResults: 50 })).results.length, results.length)
      return [results.map(({ url }) => url.replace('https://example.com/', '')).sort(), facets?.[0]?.values.length]
    }
    const below = ['docs', 'docs/a', 'docs/a?x=1', 'docs/caf%C3%A9/b', 'https://www.example.com/docs/sub']
    deepEqual(await matches({ sites: ['example.com/docs'] }), [below, undefined])
    deepEqual(await matches({ sites: ['https://example.com/docs/'] }, ''), [below, undefined])
    deepEqual(await matches({ sites: ['example.com/docs'], facets: ['part'] }), [below, 4])
    deepEqual(await matches({ sites: ['example.com/docs', 'other.example/docs/far'] }), [
      [...below, 'https://other.example/docs/far'].sort(),
      undefined,
    ])
    deepEqual(await matches({ sites: ['example.com/docs/café'] }), [['docs/caf%C3%A9/b'], undefined])
    deepEqual(await matches({ excludeSites: ['example.com/docs', 'other.example'] }), [
      ['', 'Docs/a', 'docsearch', 'other/docs'],
      undefined,
    ])
    deepEqual(await matches({ sites: ['example.com/docs'], excludeSites: ['example.com/docs/a'] }), [
      ['docs', 'docs/caf%C3%A9/b', 'https://www.example.com/docs/sub'],
      undefined,
    ])
    deepEqual(await matches({ sites: ['example.com/docs'], queryTime: START_AT + SECOND_MS }), [
      ['docs', 'docs/a', 'https://www.example.com/docs/sub'],
      undefined,
    ])
    for (const mode of ['realtime', 'webql'] as const)
      deepEqual(await matches({ sites: ['example.com/docs'], mode }), [below, undefined])
    for (const [option, value] of [
      ['sites', 'example.com/docs?x=1'],
      ['excludeSites', 'example.com:81/docs'],
    ] as const)
      await rejectsWith('ASOF_INVALID_OPTION', () => engine.search('fox', { [option]: [value] }), option)
  })

  it('gives results the content, author and last sighting of their pages as of queryTime, if asked', async engines => {
    const at = (seconds: number) => START_AT + seconds * SECOND_MS
    engines.now = at(60)
    const url = testUrl('a')
    const engine = await engines.openWith(
      { url, markdown: 'A red **fox**.', author: 'Ann', acquiredAt: at(0) },
      { url, seenAt: at(10) },
      { url, markdown: 'A *red* **fox**.', author: 'Bob', acquiredAt: at(20) },
      { url, markdown: `A blue fox. ${'word '.repeat(200)}`, acquiredAt: at(30) },
    )
    const options = { contentMaxLength: 100, details: true }
    const parts = async (query: string, queryTime: number) =>
      (await engine.search(query, { ...options, queryTime })).results.map(({ content, author, lastSeenAt }) => [
        content,
        author,
        lastSeenAt,
      ])
    deepEqual(await parts('fox', at(5)), [['A red **fox**.', 'Ann', at(0)]])
    deepEqual(await parts('fox', at(15)), [['A red **fox**.', 'Ann', at(10)]])
    deepEqual(await parts('fox', at(25)), [['A *red* **fox**.', 'Bob', at(20)]])
    const [[content, author, lastSeenAt] = []] = await parts('fox', at(60))
    deepEqual([String(content).length, author, lastSeenAt], [100, undefined, at(30)])
    deepEqual(await parts(url, at(25)), [['A *red* **fox**.', 'Bob', at(20)]])
    const { results } = await engine.search('fox')
    deepEqual(
      results.flatMap(result => ['content', 'author', 'lastSeenAt'].filter(name => name in result)),
      [],
    )
    for (const contentMaxLength of [-1, 0.5, 100_001])
      await rejectsWith('ASOF_INVALID_OPTION', () => engine.search('fox', { contentMaxLength }), 'contentMaxLength')
    await rejectsWith(
      'ASOF_INVALID_OPTION',
      () => engine.search('fox', { contentMaxLength: 10_001, maxResults: 1_000 }),
      'contentMaxLength',
    )
  })

  it('answers an empty index with a warning instead of an error', async engines => {
    const engine = await engines.open()
    const { results, warning, warnings = [] } = await engine.search('fox')
    deepEqual(results, [])
    ok(warning)
    deepEqual(
      warnings.map(({ code }) => code),
      ['no-page'],
    )
    deepEqual(warnings.map(({ text }) => text).join('; '), warning)
  })

  it('rejects invalid queries, times and options with their codes, and check does the same', async engines => {
    const engine = await engines.open()
    const wrong = { limits: 3 } as SearchOptions
    for (const call of [engine.search, engine.check].map(method => method.bind(engine))) {
      await rejectsWith('ASOF_INVALID_QUERY', () => call(' '))
      await rejectsWith('ASOF_INVALID_QUERY', () => call('x'.repeat(2049)))
      await rejectsWith('ASOF_INVALID_TIME', () => call('fox', { queryTime: 'never' }))
      await rejectsWith('ASOF_INVALID_TIME', () => call('fox', { queryTime: engines.now + 120 * SECOND_MS }))
      await rejectsWith('ASOF_INVALID_OPTION', () => call('fox', { maxResults: 0 }), 'maxResults')
      await rejectsWith('ASOF_INVALID_OPTION', () => call('fox', wrong), 'limits')
    }
    await engine.check('fox')
  })
}
