import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, open, type SearchOptions } from '../../core/index.ts'

let engine: Engine
beforeEach(async () => {
  engine = await open(':memory:')
})
afterEach(async () => {
  await engine.close()
})

const names = [
  'C',
  'C++',
  'C#',
  'F',
  'F#',
  '.NET',
  'ASP.NET',
  'node.js',
  'node',
  'vue.js',
  'R&D',
  'AT&T',
  'net',
  'js',
  'asp',
]
/** Other queries that find a text with this name. */
const partsOf: Record<string, string[]> = {
  'C++': ['c'],
  'C#': ['c'],
  'F#': ['f'],
  '.NET': ['net'],
  'ASP.NET': ['asp', 'net', '.net'],
  'node.js': ['node', 'js'],
  'vue.js': ['js'],
  'R&D': [],
  'AT&T': [],
}

async function found(query: string, options: SearchOptions = {}): Promise<string[]> {
  const { results } = await engine.search(query, { snippetMaxLength: 0, maxResults: 100, ...options })
  return results.map(({ title }) => title).sort()
}

describe('words with symbols', () => {
  it('find pages with exactly these symbols, in any case and between any words', async () => {
    const around = fc.constantFrom('', 'words ', 'in (', '"', 'about ', '東京', 'über ')
    const behind = fc.constantFrom('', '.', ', and more', ')', '" ', '語', ' words')
    const text = fc.tuple(around, fc.constantFrom(...names), behind, fc.boolean())
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 12 }), async texts => {
        const own = await open(':memory:')
        try {
          await own.add(
            texts.map(([before, name, after, isUpper], i) => ({
              url: `https://example.com/${i}`,
              title: `t${i}`,
              text: `${before}${isUpper ? name.toUpperCase() : name}${after}`,
            })),
          )
          for (const query of names) {
            const { results } = await own.search(query, { mode: 'realtime', maxResults: 100, snippetMaxLength: 0 })
            const expected = texts.flatMap(([, name], i) => {
              const words = [name.toLowerCase(), ...(partsOf[name] ?? [])]
              return words.includes(query.toLowerCase()) ? [`t${i}`] : []
            })
            // If no page contains node.js or R&D, their parts are searched for.
            if (expected.length > 0 || !/^\w+[.&]/.test(query))
              expect(results.map(({ title }) => title).sort(), query).toEqual(expected.sort())
          }
        } finally {
          await own.close()
        }
      }),
      { numRuns: 25 },
    )
  }, 60_000)

  it('do not keep pages from being found by plain words', async () => {
    const texts: Record<string, string[]> = {
      'x++ and y': ['x', 'y', 'x++'],
      'foo#bar': ['foo', 'bar', 'foo#bar'],
      'end.Next sentence': ['end', 'next', 'sentence'],
      'see example.com': ['example', 'com', 'example.com'],
      'version 3.5': ['3.5', 'version'],
      'the #hashtag': ['hashtag', '#hashtag'],
      'open file.js now': ['file', 'js', 'file.js', 'now'],
      'https://cdn.example.org/app.js?v=1&w=2': ['cdn', 'app', 'app.js', 'v', 'w'],
      'on slideshare.net': ['slideshare', 'net', 'slideshare.net'],
    }
    await engine.add(Object.keys(texts).map((text, i) => ({ url: `https://a.example/${i}`, title: String(i), text })))
    for (const [i, queries] of Object.values(texts).entries())
      for (const query of queries) expect(await found(query), query).toContain(String(i))
  })

  it('match in phrases and exclusions', async () => {
    await engine.add(
      ['a node.js server', 'a node js server', 'learn C++ templates', 'learn C templates', 'C++ and C# code'].map(
        (text, i) => ({ url: `https://a.example/${i}`, title: String(i), text }),
      ),
    )
    expect(await found('"node.js server"')).toEqual(['0'])
    expect(await found('"node js server"')).toEqual(['0', '1'])
    expect(await found('"js server"')).toEqual(['0', '1'])
    expect(await found('"learn C++ templates"')).toEqual(['2'])
    expect(await found('"C++ and C#"')).toEqual(['4'])
    expect(await found('templates -C++')).toEqual(['3'])
    expect(await found('"node.js server" OR "C++ and"', { mode: 'webql' })).toEqual(['0', '4'])
    expect(await found('title:c++', { mode: 'webql' })).toEqual([])
  })

  it('are highlighted as a whole', async () => {
    await engine.add([{ url: 'https://a.example/', text: 'Written in C++, C# and Node.js.' }])
    for (const [query, shown] of [
      ['c++', ['C++']],
      ['node.js', ['Node.js']],
      ['c#', ['C#']],
      ['node', ['Node']],
      ['c c++', ['C++', 'C']],
    ] as const) {
      const { results } = await engine.search(query)
      const { text, highlights } = results[0]!.snippet
      expect(
        highlights.map(([from, to]) => text.slice(from, to)),
        query,
      ).toEqual(shown)
    }
  })

  it('are split into words if no page contains them, but C++ never becomes C', async () => {
    await engine.add([
      { url: 'https://a.example/1', title: '1', text: 'a server of Node JS' },
      { url: 'https://a.example/2', title: '2', text: 'the language C' },
    ])
    expect(await found('node.js')).toEqual(['1'])
    expect(await found('c++')).toEqual([])
    expect(await found('c#')).toEqual([])
    expect(await found('.net')).toEqual([])
  })

  it('do not count in the length of a page, and are found in pages of other languages', async () => {
    await engine.add([
      {
        url: 'https://a.example/1',
        title: '1',
        lang: 'de',
        text: 'Die Programmiersprachen C++ und C# sind verbreitet, und wir schreiben darin nicht nur ein Programm',
      },
      {
        url: 'https://a.example/2',
        title: '2',
        lang: 'de',
        text: 'Die Programmiersprache C ist auch verbreitet, und das ist nicht alles',
      },
    ])
    expect(await found('c++', { language: 'de' })).toEqual(['1'])
    // The second page has a word of which `Sprache` is the end.
    expect(await found('Sprache C#', { language: 'de' })).toEqual(['1', '2'])
    const { explain } = await engine.search('verbreitet', { mode: 'realtime', explain: true })
    const words = [15, 11]
    const lengths = explain?.scores.map(([part]) => (part && 'length' in part ? part.length : 0))
    // The one word of each title counts three times.
    expect(lengths?.sort()).toEqual(words.map(count => count + 3).sort())
  })
})
