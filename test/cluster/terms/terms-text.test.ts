import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AND, indexedTerm, NOTHING, phraseText, termsTextOf } from '../../../cluster/terms/terms-text.ts'
import { analyze } from '../../../core/ingest/analyze.ts'
import { prepareCapture } from '../../../core/ingest/prepared-capture.ts'
import type { CaptureInput } from '../../../core/page.ts'
import { type IndexedCapture, PartialIndex } from '../../../core/partial/partial-index.ts'
import { ANALYZER } from '../../../core/text/languages/analyzers.ts'

const nothing = { nextCaptureId: 1, lastStampAt: -8.64e15, urls: 0, purged: 0, dropped: 0, retainedSinceAt: -8.64e15 }
const url = 'https://example.com/a-b'

async function captured(page: Omit<CaptureInput, 'url'>): Promise<IndexedCapture> {
  const { group } = analyze([prepareCapture({ url, ...page }, 1000)], ANALYZER)
  const { captures } = await new PartialIndex(nothing).commit(
    [{ kind: 'content', analyzed: { group, index: 0 } }],
    1000,
    new Map(),
  )
  return captures[0]!
}

/** The slots with their terms, as the analyzer of the index reads them. */
const slotsOf = (terms: string): string[][] => terms.split(' ').map(slot => (slot === NOTHING ? [] : slot.split(AND)))

function frequenciesOf({ terms, numbers }: NonNullable<IndexedCapture['occurrences']>): Map<string, number> {
  let at = 0
  return new Map(
    terms.map(term => {
      const frequency = numbers[at]!
      at += 2 + numbers[at + 1]!
      return [indexedTerm(term), frequency]
    }),
  )
}

const word = fc.constantFrom('river', 'stone', 'running', 'c++', 'ein', 'Haus', '東京', '%', 'time')
const text = fc.array(word, { maxLength: 12 }).map(words => words.join(' '))

describe('the terms of a capture as text', () => {
  it('have each term as often as core counts it, and no more slots than the capture has words', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (title, body) => {
        const { occurrences, length } = await captured({ title, text: body })
        const slots = slotsOf(termsTextOf(occurrences!, length).terms)
        const counts = new Map<string, number>()
        for (const term of slots.flat()) counts.set(term, (counts.get(term) ?? 0) + 1)
        expect(counts).toEqual(frequenciesOf(occurrences!))
        expect(slots.filter(terms => terms.length > 0).length).toBeLessThanOrEqual(Math.max(1, length))
      }),
    )
  })

  it('have the words of a phrase at the distances that core knows', async () => {
    const { occurrences, length } = await captured({ title: 'A big river', text: 'The stone ran. Then a river ran.' })
    const { terms, misplaced } = termsTextOf(occurrences!, length)
    expect(misplaced).toBeUndefined()
    const slots = slotsOf(terms)
    const isThere = (...words: [term: string, offset: number][]): boolean => {
      const phrase = slotsOf(phraseText(words.map(([term, offset]) => ({ term, offset }))))
      return slots.some((_, at) => phrase.every((one, i) => one.every(term => slots[at + i]?.includes(term))))
    }
    expect(isThere(['big', 3], ['river', 4])).toBe(true)
    expect(isThere(['river', 0], ['ran', 1])).toBe(true)
    expect(isThere(['then', 0], ['river', 2])).toBe(true)
    expect(isThere(['river', 0], ['a', 1])).toBe(false)
    expect(isThere(['river', 0], ['the', 1])).toBe(false)
  })

  it('name the terms of identifiers, which do not count as words, as misplaced', async () => {
    const data = [{ '@type': 'Product', sku: 'AB-12 34' }]
    const { occurrences, length } = await captured({ text: 'one two', data } as never)
    const { terms, misplaced } = termsTextOf(occurrences!, length)
    expect(slotsOf(terms).filter(slot => slot.length > 0)).toHaveLength(length)
    expect(misplaced?.split(' ')).toEqual(expect.arrayContaining(['ab', '12', '34']))
  })
})
