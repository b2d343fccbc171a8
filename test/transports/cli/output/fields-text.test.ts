import { expect, it } from 'vitest'
import { fieldsText } from '../../../../transports/cli/output/fields-text.ts'

it('shows a field on each line, without control characters and line breaks of its values', () => {
  const text = fieldsText({
    fields: [
      { name: 'price', type: 'number', pages: 12, examples: [{ value: 10, count: 4 }] },
      {
        name: 'tags',
        type: 'keyword',
        pages: 1,
        examples: [
          { value: 'a\u001b[31m', count: 1 },
          { value: 'b\nforged  keyword  9 pages', count: 1 },
        ],
      },
      { name: 'x', type: 'keyword', pages: 1, examples: [] },
    ],
  })
  expect(text.split('\n')).toHaveLength(3)
  expect(text).toContain('price  number   12 pages  10 (4)\n')
  expect(text).toMatch(/\nx {6}keyword {2}1 page$/)
  expect(text).not.toContain('\u001b')
  expect(text).not.toMatch(/^forged/m)
  expect(fieldsText({ fields: [] })).toBe('no page has a field')
})
