import { describe, expect, it } from 'vitest'
import { pageParts, partsAbove, plainLine } from '../../../core/passages/page-parts.ts'
import { processorMs } from '../../processor-time.ts'

const shown = (markdown: string, most = 2_000) =>
  pageParts(markdown, most).map(({ kind, start, end }) => [kind, markdown.slice(start, end)])

describe('pageParts', () => {
  it('splits a page into headings, paragraphs, items, tables and code', () => {
    const table = '| Name | Price |\n| --- | --- |\n| Desk | 20 |\n| Lamp | 5 |'
    const code = '```ts\nconst a = 1\n\nconst b = 2\n```'
    const markdown = `# Title\n\nA paragraph\nof two lines.\n\n- one\n- two\n\n${table}\n\n${code}\n`
    expect(shown(markdown)).toEqual([
      ['heading', '# Title'],
      ['paragraph', 'A paragraph\nof two lines.'],
      ['item', '- one'],
      ['item', '- two'],
      ['table', table],
      ['code', code],
    ])
  })

  it('keeps the rows of a table apart if the table is too long', () => {
    const rows = Array.from({ length: 5 }, (_, i) => `| row ${i} | ${i} |`)
    const markdown = ['| Name | Price |', '| --- | --- |', ...rows].join('\n')
    const parts = pageParts(markdown, 60)
    expect(parts.map(({ kind }) => kind)).toEqual(Array(6).fill('row'))
    expect(partsAbove(parts, 5)).toEqual([0])
    expect(plainLine(markdown, parts[0]!, 200)).toBe('Name Price')
  })

  it('splits code that is too long between lines', () => {
    const markdown = ['```', ...Array.from({ length: 100 }, (_, i) => `line ${i} of the code`), '```'].join('\n')
    const parts = pageParts(markdown, 500)
    expect(parts.length).toBeGreaterThan(3)
    for (const { kind, start, end } of parts) {
      expect(kind).toBe('code')
      expect(end - start).toBeLessThanOrEqual(500)
      expect(markdown[start - 1] ?? '\n').toBe('\n')
      expect(markdown[end] ?? '\n').toBe('\n')
    }
    expect(parts.map(({ start, end }) => markdown.slice(start, end)).join('\n')).toBe(markdown)
  })

  it('splits a long paragraph between sentences, without white space at the ends of parts', () => {
    const markdown = 'Sentences are short here. '.repeat(120).trim()
    const parts = pageParts(markdown, 2_000)
    expect(parts.length).toBeGreaterThan(2)
    for (const { start, end } of parts) {
      expect(markdown.slice(start, end)).toMatch(/^Sentences.*here\.$/s)
      expect(end - start).toBeLessThanOrEqual(1_000)
    }
  })

  it('says what a part is under, outermost first', () => {
    const markdown = '# A\n\n## B\n\nThese are needed:\n\n- one\n  - inner\n'
    const parts = pageParts(markdown, 2_000)
    const inner = parts.findIndex(({ start, end }) => markdown.slice(start, end) === '- inner')
    expect(partsAbove(parts, inner).map(index => plainLine(markdown, parts[index]!, 200))).toEqual([
      'A',
      'B',
      'These are needed:',
      'one',
    ])
  })

  it('returns no parts for an empty page', () => {
    expect(pageParts('', 2_000)).toEqual([])
    expect(pageParts(' \n\n ', 2_000)).toEqual([])
  })
})

describe('a page', () => {
  it.each([
    ['](a)'.repeat(100), []],
    ['<b>x</b> '.repeat(100), []],
    ['a ](b\n c) d', ['a ](b\n c) d']],
    ['<a\n b> c d', ['<a\n b> c d']],
    [`[a]: ${'x'.repeat(50)}`, []],
    [`<${'x'.repeat(50)} is shown`, [`<${'x'.repeat(50)} is shown`]],
  ])('without text for readers has no parts: %j', (markdown, parts) => {
    expect(shown(markdown).map(([, part]) => part)).toEqual(parts)
  })

  it.each(['<', '](', '[a]', '](\n'])('full of %j is split in linear time', piece => {
    const markdown = `pool ${piece.repeat(400_000 / piece.length)}`
    expect(processorMs(() => expect(pageParts(markdown, 2_000).length).toBeGreaterThan(0))).toBeLessThan(2_000)
  })
})
