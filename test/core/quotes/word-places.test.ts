import { describe, expect, it } from 'vitest'
import { TextWords } from '../../../core/quotes/quote-words.ts'
import { WordPlaces } from '../../../core/quotes/word-places.ts'
import { plainText } from '../../../core/text/markdown/plain-text.ts'
import { processorMs } from '../../processor-time.ts'

/** The Markdown of each word; undefined for words without a place. */
function placed(markdown: string): (string | undefined)[] {
  const words = new TextWords(plainText(markdown))
  const places = new WordPlaces(words, markdown)
  return words.words.map((_, i) => {
    const range = places.of(words.starts[i]!, words.ends[i]!)
    return range && markdown.slice(...range)
  })
}

describe('places of words in Markdown', () => {
  it('are outside of the targets of links, whatever these contain', () => {
    const markdown = '[one](https://a.example/two_(three)) **two** ![three](/four "five") four'
    expect(placed(markdown)).toEqual(['one', 'two', 'three', 'four'])
    const words = new TextWords(plainText(markdown))
    const [two] = [words.words.indexOf('two')]
    const range = new WordPlaces(words, markdown).of(words.starts[two]!, words.ends[two]!)
    expect(range).toEqual([markdown.indexOf('two**'), markdown.indexOf('two**') + 3])
  })

  it('are found behind words that the Markdown writes with escapes, and behind long targets', () => {
    expect(placed('C\\# in d')).toEqual([undefined, 'in', 'd'])
    expect(placed(`[a](https://a.example/${'x'.repeat(20_000)}) b`)).toEqual(['a', 'b'])
  })

  it('are those of parts of a word', () => {
    const markdown = '**12€** left'
    const words = new TextWords(plainText(markdown))
    expect(new WordPlaces(words, markdown).of(0, 2)).toEqual([2, 4])
  })

  it('extend to the nearest words with a place', () => {
    const around = (markdown: string, from: number, to: number) => {
      const words = new TextWords(plainText(markdown))
      return markdown.slice(...new WordPlaces(words, markdown).around(from, to))
    }
    const markdown = 'in C\\# and **b**input now'
    expect(around(markdown, 1, 2)).toBe('C\\#')
    expect(around(markdown, 1, 3)).toBe('C\\# and')
    expect(around(markdown, 3, 5)).toBe('**b**input now')
    expect(around('C\\#', 0, 1)).toBe('C\\#')
    expect(around('[a](https://a.example/b) *b*', 1, 2)).toBe('b')
  })

  it('take linear time', () => {
    const sources = [
      'a\\_b '.repeat(40_000),
      ']('.repeat(100_000),
      '](a(b)'.repeat(40_000),
      '[x]('.repeat(50_000),
      Array.from({ length: 500_000 }, (_, i) => `**b**${i}c `).join(''),
    ]
    for (const source of sources)
      expect(
        processorMs(() => placed(source)),
        source.slice(0, 20),
      ).toBeLessThan(20_000)
  })
})
