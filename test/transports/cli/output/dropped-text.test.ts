import { expect, it } from 'vitest'
import { droppedText } from '../../../../transports/cli/output/dropped-text.ts'
import { columnsOf } from '../../../../transports/cli/output/wrapped-text.ts'

it('is a table of rules, words and the beginning of the text', () => {
  const explanation = {
    words: 1234,
    undone: [],
    dropped: [
      { rule: 'names of navigation' as const, words: 1200, text: 'Home About us' },
      { rule: 'comments' as const, words: 3, text: 'I agree! 👍' },
    ],
  }
  expect(droppedText(explanation)).toBe(
    [
      '1,234 words kept, 1,203 dropped',
      '',
      ' words  rule                   beginning of the text',
      ' 1,200  names of navigation    Home About us',
      '     3  comments               I agree! 👍',
    ].join('\n'),
  )
})

it('has at most 80 columns, also with wide characters', () => {
  for (const text of ['word '.repeat(50), '港'.repeat(90)]) {
    const lines = droppedText({ words: 1, undone: [], dropped: [{ rule: 'controls', words: 50, text }] }).split('\n')
    expect(Math.max(...lines.map(columnsOf))).toBeGreaterThan(77)
    expect(Math.max(...lines.map(columnsOf))).toBeLessThanOrEqual(80)
    expect(lines.at(-1)).toMatch(/…$/)
  }
})

it('names the rules that were undone, and says when there are none', () => {
  expect(droppedText({ words: 2, undone: ['navigation'], dropped: [] })).toBe(
    '2 words kept, 0 dropped\nUndone, because hardly a word was left: navigation',
  )
  expect(droppedText(undefined)).toBe('No rule drops text: the page is not HTML.')
})
