import { describe, expect, it } from 'vitest'
import { columnsOf, fill, joinItems, wrap } from '../../../../transports/cli/output/wrapped-text.ts'

describe('text for a terminal', () => {
  it.each([
    ['plain', 5],
    ['\x1b[1mbold\x1b[22m', 4],
    ['日本語', 6],
    ['e\u0301', 1],
    ['🚢', 2],
  ])('measures %j as %i columns', (text, columns) => {
    expect(columnsOf(text)).toBe(columns)
  })

  it('breaks at spaces, begins each line with its prefix, and keeps line breaks', () => {
    const text = wrap(`${'word '.repeat(20).trim()}\nnext`, '1. ', '   ')
    expect(text.split('\n')).toEqual([`1. ${'word '.repeat(15).trim()}`, '   word word word word word', '   next'])
  })

  it('gives a long word a line of its own', () => {
    const url = `https://example.com/${'a'.repeat(80)}`
    expect(wrap(`see ${url} for more`).split('\n')).toEqual(['see', url, 'for more'])
  })

  it('breaks between wide characters, but not before closing punctuation', () => {
    const lines = wrap(`${'字'.repeat(40)}。${'字'.repeat(5)}`).split('\n')
    expect(lines).toEqual(['字'.repeat(39), `字。${'字'.repeat(5)}`])
  })

  it('fills lines with undivided parts, or with items and commas', () => {
    const parts = Array.from({ length: 5 }, (_, i) => `part ${i} of the list`)
    expect(fill(parts, '  ', '', '  ').split('\n')).toEqual([
      'part 0 of the list  part 1 of the list  part 2 of the list  part 3 of the list',
      '  part 4 of the list',
    ])
    expect(joinItems(['one', 'two'], '- ')).toBe('- one, two')
  })
})
