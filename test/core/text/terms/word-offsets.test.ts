import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TokenBuffer, tokenize } from '../../../../core/text/terms/tokens.ts'
import { WordOffsets } from '../../../../core/text/terms/word-offsets.ts'
import { anyText } from './any-text.ts'

/** The starts and ends of the words of the tokenizer; undefined if it finds bigrams. */
function tokenEdges(text: string): number[][] | undefined {
  const tokens = new TokenBuffer()
  tokenize(text, tokens)
  if (tokens.runs > 0) return undefined
  const edges: number[][] = []
  // Forms with symbols and joined words come after the word at their position.
  for (let i = 0; i < tokens.count; i++) edges[tokens.positions[i]!] ??= [tokens.starts[i]!, tokens.ends[i]!]
  return edges
}

const texts = fc.array(fc.oneof(anyText, fc.constantFrom('some words ', 'e-mail node.js C++ ', 'a'.repeat(5000))), {
  maxLength: 60,
})

describe('the words of a text', () => {
  it('are those of the tokenizer, read from any number on', () => {
    fc.assert(
      fc.property(texts, fc.nat(400), fc.nat(70), (parts, first, length) => {
        const text = parts.join(' ')
        const words = WordOffsets.of(text)
        const expected = tokenEdges(text)
        expect(words === undefined).toBe(expected === undefined)
        if (!words || !expected) return
        expect(words.count).toBe(expected.length)
        const from = Math.min(first, words.count)
        const to = Math.min(from + length, words.count)
        const out = new Uint32Array(2 * (to - from))
        words.read(from, to, out)
        expect([...out]).toEqual(expected.slice(from, to).flat())
      }),
      { numRuns: 500 },
    )
  })

  it('are found from any offset on', () => {
    fc.assert(
      fc.property(texts, fc.nat(2000), (parts, offset) => {
        const text = parts.join(' ')
        const expected = tokenEdges(text)
        if (!expected) return
        const first = expected.findIndex(([start]) => start! >= offset)
        // An offset in a word is not the start of its rest.
        fc.pre(expected.every(([start, end]) => offset <= start! || offset >= end!))
        expect(WordOffsets.of(text)!.from(offset)).toBe(first < 0 ? expected.length : first)
      }),
      { numRuns: 500 },
    )
  })

  it('may be spelled out if they have a letter for that, also of two characters', () => {
    for (const text of ['Müller', 'Mu\u0308ller', 'Ångström', 'A\u030angstro\u0308m', '\u212b'])
      expect(WordOffsets.of(text)!.hasSpelledOut).toBe(true)
    expect(WordOffsets.of('Mueller naïve')!.hasSpelledOut).toBe(false)
  })
})
