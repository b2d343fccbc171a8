import fc from 'fast-check'
import { expect, it } from 'vitest'
import { escapeLines } from '../../../extract/markdown/escaped-lines.ts'
import { escapeInline, escapeLineStart } from '../../../extract/markdown/markdown-escape.ts'

/** Escapes line by line, each as a string. */
function escapedOneByOne(text: string) {
  const lines = text.split(/\r\n?|\n/).map(line => line.trim())
  const markdown = lines.map(line => escapeLineStart(escapeInline(line, false))).join('\n')
  return { markdown: markdown.trim(), first: lines.find(line => line !== '') }
}

it('lines are escaped as their parts are', () => {
  const part = fc.oneof(
    fc.constantFrom('\n', '\r', '\r\n', ' ', '\t', '\u00a0', '\ufeff', '\u2028', 'word', 'é', '語', '😀', '\ud800'),
    fc.constantFrom(...'\\`*_[]<&~|#+->=:0123456789.)'),
    fc.constantFrom('1. ', '123456789) ', '1234567890. ', '~~', '```', '---', '## ', ':-', '-|', 'a_b', '&amp;', '</'),
    fc.string({ unit: 'binary', maxLength: 8 }),
  )
  const texts = fc.array(part, { maxLength: 60, size: 'max' }).map(parts => parts.join(''))
  fc.assert(
    fc.property(texts, text => {
      expect(escapeLines(text)).toEqual(escapedOneByOne(text))
    }),
    { numRuns: 3_000 },
  )
})

it('the lines of a long text are escaped after those of a short one', () => {
  const long = '* [x] 1_000 <b>\n'.repeat(30_000)
  for (const text of ['short', long, 'short', `${long}語`]) expect(escapeLines(text)).toEqual(escapedOneByOne(text))
})
