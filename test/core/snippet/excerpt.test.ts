import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { widen } from '../../../core/snippet/excerpt.ts'

const pieces = fc.constantFrom(
  'a',
  'word ',
  'word',
  '. ',
  '.',
  '\n',
  '東京',
  '。',
  '𠮷',
  '𠮷𠮷𠮷𠮷',
  '"',
  ' ',
  '😀',
  'long'.repeat(20),
)
const splits = (text: string, at: number): boolean => /^[\udc00-\udfff]/.test(text.slice(at)) && at > 0

/** A text, a range of it that splits no surrogate pair, bounds around that range, and a limit. */
const cases = fc
  .tuple(
    fc.array(pieces, { minLength: 1, maxLength: 60 }),
    fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
    fc.nat(300),
  )
  .map(([list, seeds, limit]) => {
    const text = list.join('')
    const edges = [0]
    for (const char of text) edges.push(edges.at(-1)! + char.length)
    const sorted = seeds.map(seed => edges[seed % edges.length]!).sort((x, y) => x - y)
    const [a, b, c, d] = sorted as [number, number, number, number]
    return { text, core: { start: b, end: c }, bounds: { start: a, end: d }, limit }
  })

describe('widen', () => {
  it('returns a range around the given one, within the limit and the bounds', () => {
    fc.assert(
      fc.property(cases, ({ text, core, bounds, limit }) => {
        const { start, end } = widen(text, core, limit, bounds)
        expect(start).toBeGreaterThanOrEqual(bounds.start)
        expect(end).toBeLessThanOrEqual(bounds.end)
        expect(start).toBeLessThanOrEqual(core.start)
        expect(end).toBeGreaterThanOrEqual(Math.min(core.end, start + limit - 1))
        expect(end - start).toBeLessThanOrEqual(limit)
      }),
      { numRuns: 1000 },
    )
  })

  it('does not split a surrogate pair', () => {
    fc.assert(
      fc.property(cases, ({ text, core, bounds, limit }) => {
        const { start, end } = widen(text, core, limit, bounds)
        expect(splits(text, start), `start ${start}`).toBe(false)
        expect(splits(text, end), `end ${end}`).toBe(false)
      }),
      { numRuns: 1000 },
    )
  })

  const text = 'One sentence here. Another sentence stands here. The third one ends it.'
  const around = (word: string, limit: number) => {
    const start = text.indexOf(word)
    const range = widen(text, { start, end: start + word.length }, limit, { start: 0, end: text.length })
    return text.slice(range.start, range.end)
  }

  it('begins and ends at sentences that are near', () => {
    expect(around('Another', 40)).toBe('Another sentence stands here.')
    expect(around('stands', 60)).toBe('Another sentence stands here. The third one ends it.')
  })

  it('begins and ends between words if no sentence is near', () => {
    expect(around('sentence stands', 25)).toMatch(/^(Another )?sentence stands( here\.)?$/)
    expect(around('third', 12)).toMatch(/^\S*( \S+)* ?third( \S+)*$/)
  })

  it('returns the whole text if it fits', () => {
    expect(around('stands', 1000)).toBe(text)
    expect(around('sentence here', 1000)).toBe(text)
  })

  it('cuts text without spaces anywhere', () => {
    const han = '東京都は日本の首都である'.repeat(20)
    const { start, end } = widen(han, { start: 100, end: 102 }, 50, { start: 0, end: han.length })
    expect(end - start).toBeGreaterThan(40)
  })
})
