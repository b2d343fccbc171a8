import { describe, expect, it } from 'vitest'
import { TitleIndex } from '../../../core/suggest/title-index.ts'

const titles = Array.from({ length: 1_500 }, (_, n) => `bridge ${n % 2 === 0 ? 'ferry' : 'toll'} n${n}`)
const index = new TitleIndex()
for (const [n, text] of [...titles, 'Bridge of Café Zürich'].entries())
  index.add({
    kind: 'title',
    text,
    url: `https://pages.example/${n}`,
    pageUrl: `https://pages.example/${n}`,
    captureId: n,
  })
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

  it('index a bounded part of each text: 24 letters of a word, 200 units in total', () => {
    const endless = new TitleIndex()
    const text = `${'q'.repeat(500)} ${'w'.repeat(5_000)}`
    endless.add({ kind: 'title', text, pageUrl: 'https://pages.example/', captureId: 1 })
    // Beyond its first 24 letters a word is not compared, so that a longer beginning finds it too.
    for (const beginning of ['q', 'q'.repeat(24), 'q'.repeat(150)])
      expect(endless.find(beginning, 1).map(entry => entry.text)).toEqual([text])
    expect(endless.find('w', 1)).toEqual([])
  })
})
