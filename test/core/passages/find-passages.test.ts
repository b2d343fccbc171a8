import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../core/index.ts'

const root = join(import.meta.dirname, '../../..')
const docs = readdirSync(join(root, 'docs')).filter(name => name.endsWith('.md'))
const urlOf = (name: string) => `https://docs.example.com/${name}`

let engine: Engine
beforeAll(async () => {
  engine = await open(':memory:')
  await engine.add(docs.map(name => ({ url: urlOf(name), markdown: readFileSync(join(root, 'docs', name), 'utf8') })))
})
afterAll(() => engine.close())

const queries = [
  'how long does a purge take',
  'query_time format',
  'table of limits',
  'postgresql connection',
  'robots.txt rules of a site',
  'engine.search options example',
  'const engine = await open',
  'curl -H X-API-Key',
  'x402 payment receipt',
  'sealed key',
  '"point in time"',
  'embedding model language',
  'c++',
]

describe('passages of the documents of asof', () => {
  it.each(queries)('for "%s" are slices of their pages, pass verify and fit the budget', async query => {
    const { passages, chars, tokens } = await engine.passages(query)
    expect(passages.length).toBeGreaterThan(0)
    expect(tokens).toBeLessThanOrEqual(2_000)
    expect(chars).toBe(passages.reduce((sum, { text }) => sum + text.length, 0))
    for (const { url, text, start, end } of passages) {
      expect(text.length).toBeLessThanOrEqual(2_000)
      expect((await engine.page(url))?.markdown.slice(start, end)).toBe(text)
    }
    const verdicts = await engine.verifyAll(passages.map(({ url, text }) => ({ url, quote: text })))
    const failed = passages.filter((_, i) => verdicts[i]?.verdict !== 'verbatim')
    expect(failed.map(({ url, text }) => [url, text])).toEqual([])
  })

  it('are in the order of their pages, do not overlap, and have whole words', async () => {
    const { passages } = await engine.passages('search the index as of an instant', { maxChars: 20_000 })
    const byPage = Map.groupBy(passages, ({ url }) => url)
    expect(byPage.size).toBeGreaterThan(3)
    for (const [url, ofPage] of byPage) {
      const markdown = (await engine.page(url))?.markdown ?? ''
      for (const [i, { start, end }] of ofPage.entries()) {
        expect(start).toBeGreaterThanOrEqual(ofPage[i - 1]?.end ?? 0)
        for (const edge of [start, end])
          expect(/\p{L}/u.test(markdown[edge - 1] ?? '') && /\p{L}/u.test(markdown[edge] ?? '')).toBe(false)
      }
    }
  })

  it('begin with the page of the best passage', async () => {
    const { passages } = await engine.passages('conditional requests of the crawler', { maxTokens: 4_000 })
    const best = passages.toSorted((a, b) => b.score - a.score)[0]
    expect(passages[0]?.url).toBe(best?.url)
  })

  it('show the headings of their sections', async () => {
    const { passages } = await engine.passages('no estimate fits every tokenizer')
    const estimate = passages.find(({ text }) => text.includes('No estimate fits every tokenizer'))
    expect(estimate?.context).toEqual(['Search and ranking', 'Passages', 'Tokens'])
  })
})

describe('passages', () => {
  it('keep code and tables whole if they fit', async () => {
    const code = '```py\ndef heron():\n    if True:\n        return "grey"\n```'
    const table = '| Bird | Color |\n| --- | --- |\n| Heron | grey |\n| Crow | black |'
    const own = await open(':memory:')
    await own.add([{ url: 'https://a.example/', markdown: `Intro.\n\n${code}\n\nBetween.\n\n${table}\n\nEnd.` }])
    const { passages } = await own.passages('heron grey', { maxChars: 180 })
    const text = passages.map(passage => passage.text).join('\n')
    expect(text).toContain(table)
    expect(text).toContain(code.split('\n').slice(1, -1).join('\n'))
    await own.close()
  })

  it('leave out what nearly repeats a passage of another page', async () => {
    const same = 'The heron is a long-legged bird of rivers and lakes, and it eats fish, frogs and insects.'
    const own = await open(':memory:')
    await own.add([
      { url: 'https://a.example/', text: `${same} Seen.` },
      { url: 'https://b.example/', text: same },
      { url: 'https://c.example/', text: 'Another heron stands in the garden.' },
    ])
    const { passages } = await own.passages('heron')
    expect(passages.map(({ url }) => url)).toContain('https://c.example/')
    expect(passages).toHaveLength(2)
    await own.close()
  })

  it('are cut between sentences or words if the best part exceeds the budget', async () => {
    const own = await open(':memory:')
    await own.add([
      { url: 'https://a.example/', text: 'The heron stands in the water and waits for fish. '.repeat(18) },
    ])
    const { passages, chars } = await own.passages('heron', { maxChars: 180 })
    expect(passages).toHaveLength(1)
    expect(chars).toBeLessThanOrEqual(180)
    expect(passages[0]?.text).toMatch(/fish\.$/)
    await own.close()
  })

  it('are the beginning of a page that has the words in its title only', async () => {
    const own = await open(':memory:')
    await own.add([{ url: 'https://a.example/', title: 'Herons', text: 'Long-legged birds.\n\nThey eat fish.' }])
    const { passages } = await own.passages('herons')
    expect(passages[0]?.text).toContain('Long-legged birds.')
    await own.close()
  })

  it('are sliced from the Markdown of the revision that was valid at the instant', async () => {
    const own = await open(':memory:')
    const url = 'https://a.example/'
    await own.add([
      { url, markdown: 'The heron waits.', acquiredAt: '2025-01-01' },
      { url, markdown: 'The **heron**   waits.', acquiredAt: '2025-02-01' },
    ])
    for (const [queryTime, text] of [
      ['2025-01-15', 'The heron waits.'],
      ['2025-03-01', 'The **heron**   waits.'],
    ] as const) {
      const { passages } = await own.passages('heron', { queryTime })
      expect(passages.map(passage => passage.text)).toEqual([text])
      expect((await own.page(url, { queryTime }))?.markdown.slice(passages[0]!.start, passages[0]!.end)).toBe(text)
    }
    await own.close()
  })
})
