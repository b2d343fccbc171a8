import { describe, expect, it } from 'vitest'
import { TitleColumnsBuilder } from '../../../core/suggest/title-columns.ts'
import { TitleIndex } from '../../../core/suggest/title-index.ts'

const titles = Array.from({ length: 1_500 }, (_, n) => `bridge ${n % 2 === 0 ? 'ferry' : 'toll'} n${n}`)
const entries = new TitleColumnsBuilder()
for (const [n, text] of [...titles, 'Bridge of Café Zürich'].entries())
  entries.add({
    kind: 'title',
    text,
    pageUrl: `https://pages.example/${n}`,
    captureId: n,
  })
const index = new TitleIndex(entries.build())
const found = (text: string, limit: number) => index.find(text, limit).map(entry => entry.text)

describe('titles found by word prefixes', () => {
  it.each([
    ['one beginning', 'bri', 3, 3],
    ['several, each of many titles', 'b f', 30, 30],
    ['all that there are', 'ferry n149', 30, 5],
    ['the one title behind a thousand that begin so', 'bridge z', 30, 1],
    ['none, where a word is in none of them', 'bridge x', 30, 0],
    ['none, where no title has both', 'ferry toll', 30, 0],
  ])('are %s: %j', (_what, text, limit, count) => {
    const texts = found(text, limit)
    expect(texts).toHaveLength(count)
    const beginnings = text.split(' ')
    for (const title of texts)
      expect(
        beginnings.every(beginning => ` ${title.toLowerCase()}`.includes(` ${beginning}`)),
        title,
      ).toBe(true)
  })

  it('are found regardless of case, diacritics and word order', () => {
    expect(found('zurich CAFE br', 5)).toEqual(['Bridge of Café Zürich'])
  })

  it.each([
    ['rfc9', ['RFC9110: HTTP Semantics']],
    ['rfc 91', ['RFC9110: HTTP Semantics']],
    ['9110', ['RFC9110: HTTP Semantics']],
    ['14', ['14 bridges', 'Page 14', 'Page 1400']],
    ['helo', []],
  ])('keep letters and digits as they were written: %j', (text, expected) => {
    const numbered = new TitleColumnsBuilder()
    for (const title of ['RFC9110: HTTP Semantics', 'Page 12314', 'Page 1400', 'Page 14', '14 bridges', 'Hello'])
      numbered.add({ kind: 'title', text: title, pageUrl: `https://pages.example/${title}`, captureId: 1 })
    expect(new TitleIndex(numbered.build()).find(text, 10).map(entry => entry.text)).toEqual(expected)
  })

  it('are the same first ones for every limit', () => {
    for (const text of ['b', 'bridge', 'bridge f', 'n1', 'f n14', 'toll bridge']) {
      const all = found(text, 2_000)
      for (const limit of [1, 2, 10, 50]) expect(found(text, limit), text).toEqual(all.slice(0, limit))
    }
  })

  it('are compared by the first 200 units of each text', () => {
    const long = new TitleColumnsBuilder()
    const text = `${'q'.repeat(500)} ${'w'.repeat(5_000)}`
    long.add({ kind: 'title', text, pageUrl: 'https://pages.example/', captureId: 1 })
    const endless = new TitleIndex(long.build())
    for (const beginning of ['q', 'q'.repeat(200)])
      expect(endless.find(beginning, 1).map(entry => entry.text)).toEqual([text])
    expect(endless.find('w', 1)).toEqual([])
  })
})
