import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pagePassages, paragraphParts } from '../../../core/snippet/page-passages.ts'

/** Returns for each passage its kind, its text, and the text of the passage that it is under. */
function outline(markdown: string): [string, string, string?][] {
  const passages = pagePassages(markdown)
  const textOf = (at: number) => markdown.slice(passages[at]!.start, passages[at]!.end)
  return passages.map(({ kind, under }, at) =>
    under === undefined ? [kind, textOf(at)] : [kind, textOf(at), textOf(under)],
  )
}

describe('the passages of a page', () => {
  it('are under the heading of their section, and headings under the heading of theirs', () => {
    expect(outline('# A\n\none\ntwo\n\n## B\n\nthree\n\n# C\nfour')).toEqual([
      ['heading', '# A'],
      ['paragraph', 'one\ntwo', '# A'],
      ['heading', '## B', '# A'],
      ['paragraph', 'three', '## B'],
      ['heading', '# C'],
      ['paragraph', 'four', '# C'],
    ])
  })

  it('are single list items, under the line that introduces the list or the item that they are nested in', () => {
    expect(outline('# A\n\nYou need:\n\n- x\n  goes on\n  - y\n- z\n\nEnd.\n\n1. w')).toEqual([
      ['heading', '# A'],
      ['paragraph', 'You need:', '# A'],
      ['item', '- x\n  goes on', 'You need:'],
      ['item', '  - y', '- x\n  goes on'],
      ['item', '- z', 'You need:'],
      ['paragraph', 'End.', '# A'],
      ['item', '1. w', '# A'],
    ])
  })

  it('are single table rows, under the head of the table with its dashes', () => {
    expect(outline('| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\ntext')).toEqual([
      ['row', '| a | b |\n|---|---|'],
      ['row', '| 1 | 2 |', '| a | b |\n|---|---|'],
      ['row', '| 3 | 4 |', '| a | b |\n|---|---|'],
      ['paragraph', 'text'],
    ])
  })

  it('are whole code blocks, whatever they contain', () => {
    expect(outline('```\n# no heading\n\n- no item\n```\n\ntext')).toEqual([
      ['code', '```\n# no heading\n\n- no item\n```'],
      ['paragraph', 'text'],
    ])
  })

  it('are ordered, do not overlap, and cover any text except white space and rules', () => {
    const line = fc.constantFrom(
      '# h',
      '## h',
      'word',
      'lead:',
      '- i',
      '  - n',
      '1. o',
      '| c |',
      '|---|',
      '```',
      '> q',
      '',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(line, fc.string())), lines => {
        const markdown = lines.join('\n')
        let at = 0
        for (const [index, { start, end, under }] of pagePassages(markdown).entries()) {
          expect(start).toBeGreaterThanOrEqual(at)
          expect(end).toBeGreaterThan(start)
          expect(under ?? -1).toBeLessThan(index)
          expect(markdown.slice(at, start)).toMatch(/^[\s>|:=*_#+\-\d.)\p{Cc}[\]xX]*$/u)
          at = end
        }
      }),
    )
  })
})

describe('the parts of a paragraph', () => {
  it('end at sentences, else between words, and never inside a character', () => {
    const parts = (text: string) => paragraphParts(text, 0, text.length).map(({ start, end }) => text.slice(start, end))
    const sentences = parts('Twenty letters here. '.repeat(100))
    expect(sentences.slice(0, -1).every(part => part.endsWith('.'))).toBe(true)
    expect(
      parts('wordy '.repeat(500)).every(part =>
        part
          .trim()
          .split(' ')
          .every(word => word === 'wordy'),
      ),
    ).toBe(true)
    expect(parts(`x${'🚢'.repeat(2_000)}`).every(part => part.isWellFormed())).toBe(true)
  })

  it('cover the paragraph, each with at most 1,000 units', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 5_000, size: 'max' }), text => {
        const parts = paragraphParts(text, 0, text.length)
        expect(parts.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text)
        expect(Math.max(...parts.map(({ start, end }) => end - start))).toBeLessThanOrEqual(1_000)
      }),
    )
  })
})
