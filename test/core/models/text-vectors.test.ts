import { describe, expect, it } from 'vitest'
import { PASSAGE_UNITS, passageOf } from '../../../core/models/text-vectors.ts'
import { plainText } from '../../../core/text/markdown/plain-text.ts'

describe('the text of a page that a model receives', () => {
  it('is the same for texts that differ only in white space and markup', () => {
    const words = Array.from({ length: 600 }, (_, word) => `word${word}`)
    const [plain = '', ...others] = [words.join(' '), words.join('\n\n'), `*${words.join('*  *')}*`].map(plainText)
    const given = passageOf('A title', plain)
    expect(given).toHaveLength(PASSAGE_UNITS)
    expect(given.startsWith('A title\nword0 word1 ')).toBe(true)
    for (const other of others) expect(passageOf(' A  title', other)).toBe(given)
  })

  it('is as long as the model reads', () => {
    const text = 'word '.repeat(5000)
    expect(passageOf('A title', text, 16_384)).toHaveLength(16_384)
    expect(passageOf('A title', text, 20)).toBe('A title\nword word wo')
  })
})
