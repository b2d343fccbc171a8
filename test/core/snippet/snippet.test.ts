import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeSnippet } from '../../../core/snippet/snippet.ts'
import { plainText } from '../../../core/text/markdown/plain-text.ts'
import { TermScanner } from '../../../core/text/terms/term-scanner.ts'
import { TokenBuffer, tokenize } from '../../../core/text/terms/tokens.ts'

function termsOf(text: string): string[] {
  const tokens = new TokenBuffer()
  tokenize(text, tokens)
  return Array.from({ length: tokens.count }, (_, at) => tokens.term(at))
}

const pieced = (pieces: readonly string[]) => ({ count: pieces.length, piece: (index: number) => pieces[index]! })

function snippetOf(markdown: string, query: string, limit: number, description?: string) {
  const terms = [...new Set(termsOf(query))]
  const text = plainText(markdown)
  const weights = terms.map((_, i) => 1 + i)
  const snippet = makeSnippet(
    { text: pieced(text === '' ? [] : [text]), firstMatch: () => undefined, description: () => description },
    { scanner: new TermScanner(terms), weights },
    limit,
  )
  return { snippet, terms, matches: termsOf(text).filter(term => terms.includes(term)), text }
}

const pieces = fc.constantFrom(
  'river ',
  'stone ',
  'bridge',
  ' filler words that say nothing. ',
  'filler '.repeat(40),
  '\n\n# Heading\n\n',
  '\n- item ',
  '**bold** ',
  '[link text](https://example.com/) ',
  '`code` ',
  '東京都は日本の首都。',
  '隅田川橋'.repeat(30),
  '𠮷野家 ',
  '😀 ',
  '| a | b |\n|---|---|\n| river | c |\n',
  'e\u0301te\u0301 ',
)
const markdowns = fc.array(pieces, { maxLength: 40 }).map(list => list.join(''))
const queries = fc
  .array(fc.constantFrom('river', 'stones', '東京都', '田川', '橋隅', '𠮷野', 'été', 'heading', 'absent'), {
    minLength: 1,
    maxLength: 4,
  })
  .map(list => list.join(' '))
const limits = fc.oneof(fc.integer({ min: 180, max: 400 }), fc.integer({ min: 180, max: 10_000 }))

describe('a snippet', () => {
  it('has at most as many characters as the limit, and splits none', () => {
    fc.assert(
      fc.property(markdowns, queries, limits, (markdown, query, limit) => {
        const { text } = snippetOf(markdown, query, limit).snippet
        expect([...text].length).toBeLessThanOrEqual(limit)
        expect(text.isWellFormed()).toBe(true)
        expect(text).not.toContain('\n')
      }),
      { numRuns: 300 },
    )
  })

  it('highlights ascending, separate ranges that begin and end with matched words', () => {
    fc.assert(
      fc.property(markdowns, queries, limits, (markdown, query, limit) => {
        const { snippet, terms } = snippetOf(markdown, query, limit)
        let previous = -1
        for (const [start, end] of snippet.highlights) {
          expect(start).toBeGreaterThan(previous)
          expect(end).toBeGreaterThan(start)
          expect(end).toBeLessThanOrEqual(snippet.text.length)
          previous = end
          const within = termsOf(snippet.text.slice(start, end))
          expect(terms).toContain(within[0])
          expect(terms).toContain(within.at(-1))
        }
      }),
      { numRuns: 300 },
    )
  })

  it('shows a match if there is one', () => {
    fc.assert(
      fc.property(markdowns, queries, limits, (markdown, query, limit) => {
        const { snippet, matches } = snippetOf(markdown, query, limit)
        if (matches.length > 0) expect(snippet.highlights.length).toBeGreaterThan(0)
      }),
      { numRuns: 300 },
    )
  })

  it('shows a match anywhere in a long text without spaces, with text around it', () => {
    const before = '川'.repeat(400)
    for (let at = 0; at < 200; at++) {
      const { snippet } = snippetOf(`${before.slice(0, at)}東京${before.slice(at)}`, '東京', 180)
      const [start, end] = snippet.highlights[0]!
      expect(snippet.text.slice(start, end), `at ${at}`).toBe('東京')
      expect(start, `at ${at}`).toBeLessThanOrEqual(90)
    }
  })

  it('consists of parts of the text', () => {
    fc.assert(
      fc.property(markdowns, queries, limits, (markdown, query, limit) => {
        const { snippet, text } = snippetOf(markdown, query, limit)
        const flat = text.replaceAll('\n', ' ')
        let at = 0
        for (const part of snippet.text.split(' … ')) {
          const found = flat.indexOf(part, at)
          expect(found, part).toBeGreaterThanOrEqual(0)
          at = found + part.length
        }
      }),
      { numRuns: 200 },
    )
  })

  it('joins passages that are far apart, each with its own term', () => {
    const filler = 'Nothing of note stands here. '.repeat(40)
    const { snippet } = snippetOf(`The river. ${filler}A stone. ${filler}`, 'river stone', 400)
    expect(snippet.text.split(' … ').length).toBe(2)
    expect(snippet.highlights.map(([start, end]) => snippet.text.slice(start, end))).toEqual(['river', 'stone'])
  })

  it('is the description if the text does not match, with the matches in it highlighted', () => {
    const { snippet } = snippetOf('A body about something else.', 'river', 200, '  On the river,\nand its banks. ')
    expect(snippet).toEqual({ text: 'On the river, and its banks.', highlights: [[7, 12]] })
  })

  it('is the beginning of the text without a match or a description', () => {
    const markdown = `# A heading\n\n${'First sentence of it. '.repeat(30)}`
    for (const description of [undefined, '', '  \n '])
      expect(snippetOf(markdown, 'absent', 200, description).snippet.text).toMatch(
        /^A heading First sentence of it\. .*of it\.$/,
      )
  })

  it('cuts a long description to the limit', () => {
    const { text } = snippetOf('body', 'absent', 180, 'long words '.repeat(100)).snippet
    expect(text.length).toBeLessThanOrEqual(180)
    expect(text.length).toBeGreaterThan(150)
    expect(text).toMatch(/(long|words)$/)
  })

  it('is empty for an empty text', () => {
    expect(snippetOf('', 'river', 180).snippet).toEqual({ text: '', highlights: [] })
  })

  it('cuts inside a word that is longer than the limit', () => {
    const { text } = snippetOf('x'.repeat(50_000), 'x'.repeat(50_000), 180).snippet
    expect(text).toMatch(/^x{1,180}$/)
  })

  it('shows a match in a later piece of a huge text', () => {
    const filler = 'Nothing of note. '.repeat(10_000)
    const query = { scanner: new TermScanner(['river', 'stone']), weights: [1, 1] }
    const shown = (...text: string[]) =>
      makeSnippet({ text: pieced(text), firstMatch: () => undefined, description: () => undefined }, query, 200).text
    expect(shown('A river. ', filler, 'A stone. ')).toMatch(/A river\..* … .*A stone\./)
    expect(shown('The beginning. ', filler, filler, filler, `A river. ${filler}`, filler)).toContain('A river.')
    expect(shown('A river. ', filler, filler, filler, `A stone. ${filler}`)).not.toContain('stone')
    expect(shown('The beginning. ', filler, filler)).toMatch(/^The beginning\./)
  })

  it('shows a match of a long text where the index knows one, and reads little else', () => {
    const query = { scanner: new TermScanner(['river']), weights: [1] }
    const filler = 'Nothing of note. '.repeat(4_000)
    const shown = (at: number, place: number | undefined) => {
      const read = new Set<number>()
      const piece = (index: number) => {
        read.add(index)
        return index === at ? `A river. ${filler}` : filler
      }
      const text = { count: 300, piece }
      const { text: snippet } = makeSnippet({ text, firstMatch: () => place, description: () => undefined }, query, 200)
      return { snippet, read: read.size }
    }
    expect(shown(299, 1)).toMatchObject({ snippet: expect.stringContaining('A river.') })
    expect(shown(150, 0.48)).toMatchObject({ snippet: expect.stringContaining('A river.') })
    // Only its title matches.
    expect(shown(150, undefined)).toMatchObject({ snippet: expect.stringMatching(/^Nothing of note/), read: 1 })
    // The index is wrong about the place by more than a snippet is worth.
    const { snippet, read } = shown(150, 0)
    expect(snippet).toMatch(/^Nothing of note/)
    expect(read).toBeLessThanOrEqual(17)
    expect(shown(150, 0.5).read).toBeLessThanOrEqual(5)
  })
})
