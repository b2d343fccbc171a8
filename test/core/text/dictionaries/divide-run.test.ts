import { brotliDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dictionaries } from '../../../../core/text/dictionaries/dictionaries.generated.ts'
import { divideRun } from '../../../../core/text/dictionaries/divide-run.ts'

/** Divides a run as the ICU of the running Node does. Its dictionaries have been the same ones since ICU 72. */
const segmenter = new Intl.Segmenter('th', { granularity: 'word' })
function byIcu(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

function byDictionary(text: string): string[] {
  let start = 0
  return divideRun(text, 0, text.length).map(end => {
    const word = text.slice(start, end)
    start = end
    return word
  })
}

/** The words of a dictionary, read from their encoding. */
function wordsOf({ first, words, base64 }: (typeof dictionaries)[keyof typeof dictionaries]): string[] {
  const bytes = brotliDecompressSync(Buffer.from(base64, 'base64'))
  const all: string[] = []
  for (let at = 0, before = ''; all.length < words; all.push(before)) {
    const rest = bytes.subarray(at + 2, at + 2 + bytes[at + 1]!)
    before = before.slice(0, bytes[at]) + String.fromCharCode(...Array.from(rest, byte => first + byte))
    at += 2 + rest.length
  }
  return all
}

const letters = {
  thai: '\u0e01-\u0e3a\u0e40-\u0e4d',
  lao: '\u0e81-\u0ebd\u0ec0-\u0ec6\u0ec8-\u0ecd',
  khmer: '\u1780-\u17d3\u17d7\u17dc\u17dd',
  burmese: '\u1000-\u103f\u1050-\u108f',
} as const

describe.each(Object.entries(letters))('a run of %s', (name, ranges) => {
  const isLetter = new RegExp(`[${ranges}]`, 'u')
  const units = Array.from({ length: 0x1100 - 0xe00 + 0x700 }, (_, i) => String.fromCharCode(0xe00 + i)).filter(
    unit => isLetter.test(unit) && /\p{Assigned}/u.test(unit),
  )
  // Some words have an invisible character in them, which ends a run.
  const onlyLetters = new RegExp(`^[${ranges}]+$`, 'u')
  const words = wordsOf(dictionaries[name as keyof typeof letters]).filter(word => onlyLetters.test(word))

  it.each([
    ['letters', fc.string({ unit: fc.constantFrom(...units), maxLength: 60 })],
    [
      'words and letters',
      fc.string({ unit: fc.oneof(fc.constantFrom(...words), fc.constantFrom(...units)), maxLength: 20 }),
    ],
  ])('is divided as ICU divides it: %s', (_, texts) => {
    fc.assert(
      fc.property(texts, text => {
        // No text begins with a mark. ICU would make it a word of its own.
        fc.pre(!/^\p{M}/u.test(text))
        expect(byDictionary(text)).toEqual(byIcu(text))
      }),
      { numRuns: Number(process.env.ASOF_RUNS ?? 2000) },
    )
  })
})

describe('a run', () => {
  it('has numbers as words of their own', () => {
    expect(byDictionary('ตลาดน้ำ๑๒๓ตลาด')).toEqual(['ตลาด', 'น้ำ', '๑๒๓', 'ตลาด'])
  })

  it('without letters is one word, and nothing has none', () => {
    expect(byDictionary('๑๒๓')).toEqual(['๑๒๓'])
    expect(byDictionary('')).toEqual([])
  })
})
