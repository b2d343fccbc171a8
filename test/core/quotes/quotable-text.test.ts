import { describe, expect, it } from 'vitest'
import { QuotableText } from '../../../core/quotes/quotable-text.ts'

const markdown = 'The **Café** costs [12 €](https://a.example/menu) and C# is played.\n\nCafe again.'
const text = new QuotableText(markdown)
const found = (words: string) => Array.from(text.find(words), ({ placed }) => placed.quote)

describe('a quotable text', () => {
  it('finds words in any letter case and with any accents, and quotes them as the page writes them', () => {
    expect(found('CAFE')).toEqual(['Café', 'Cafe'])
    expect(found('cafe COSTS')).toEqual(['Café** costs'])
  })

  it('gives the range of each quote in the Markdown', () => {
    for (const { placed, plain } of text.find('cafe')) {
      expect(markdown.slice(placed.start, placed.end)).toBe(placed.quote)
      expect(plain).toBe(placed.quote)
    }
  })

  it('quotes a passage over a link with its target, and no part of a target', () => {
    expect(text.quote(...rangeOf('[12 €](https://a.example/menu)'))).toMatchObject({ start: markdown.indexOf('[12') })
    expect(text.quote(...rangeOf('a.example'))).toBeUndefined()
  })

  it('keeps signs that carry meaning', () => {
    expect(found('C#')).toHaveLength(1)
    expect(found('C++')).toEqual([])
    expect(found('12')).toEqual([])
  })

  it('has no quote of white space, punctuation, or more than verify takes', () => {
    expect(text.quote(0, 0)).toBeUndefined()
    expect(text.quote(4, 6)).toBeUndefined()
    const long = new QuotableText('word '.repeat(500))
    expect(long.quote(0, 2_499)).toBeUndefined()
    expect(long.quote(0, 1_999)).toBeDefined()
  })
})

function rangeOf(passage: string): [number, number] {
  const start = markdown.indexOf(passage)
  return [start, start + passage.length]
}
