import fc from 'fast-check'
import { expect, it } from 'vitest'
import { meanVector, passageRule, passagesOf } from '../../../encoder/model/passages.ts'

const words = (count: number) => Array.from({ length: count }, (_, i) => `w${i}`)

it('a short page is one passage with its title', () => {
  expect(passagesOf('A title\nSome  text\n\nhere')).toEqual(['A title\nSome text here'])
  expect(passagesOf('text alone')).toEqual(['text alone'])
  expect(passagesOf('\ntext')).toEqual(['text'])
  expect(passagesOf('title\n')).toEqual(['title\n'])
  expect(passagesOf('')).toEqual([''])
})

it('a long page is passages of equal length, each with the title', () => {
  const passages = passagesOf(`The title\n${words(200).join(' ')}`)
  expect(passages.map(passage => passage.split(/\s/).length - 2)).toEqual([67, 67, 66])
  for (const passage of passages) expect(passage.startsWith('The title\n')).toBe(true)
})

it('a page of any length has the first words, in order, and no more passages than the rule says', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2000 }), count => {
      const passages = passagesOf(`t\n${words(count).join(' ')}`)
      const read = passages.flatMap(passage => passage.slice(2).split(' ').filter(Boolean))
      expect(read).toEqual(words(Math.min(count, passageRule.words * passageRule.passages)))
      expect(passages.length).toBeLessThanOrEqual(passageRule.passages)
      for (const passage of passages) expect(passage.split(' ').length).toBeLessThanOrEqual(1.5 * passageRule.words)
    }),
  )
})

it('the mean of vectors has the length 1', () => {
  expect(meanVector([Float32Array.of(1, 0), Float32Array.of(0, 1)])).toEqual(
    Float32Array.of(Math.SQRT1_2, Math.SQRT1_2),
  )
  expect(meanVector([Float32Array.of(0, 1)])).toEqual(Float32Array.of(0, 1))
  expect(meanVector([Float32Array.of(0, 1), Float32Array.of(0, -1)])).toEqual(Float32Array.of(0, 1))
})
