import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quotationsIn } from '../../../../core/search/query/quotations.ts'

const inner = (text: string): string[] => quotationsIn(text).map(({ start, end }) => text.slice(start + 1, end - 1))

describe('the quotations in a query', () => {
  it.each([
    ['straight marks', 'the "stone bridge" fell', ['stone bridge']],
    ['full-width marks', 'the ＂stone bridge＂ fell', ['stone bridge']],
    ['English marks', 'he said “stone bridge”, twice', ['stone bridge']],
    ['German marks', 'er sagte „stone bridge“.', ['stone bridge']],
    ['Polish marks', '„stone bridge” i', ['stone bridge']],
    ['Swedish marks', 'han sa ”stone bridge” och', ['stone bridge']],
    ['reversed marks', 'a ‟stone bridge” b', ['stone bridge']],
    ['French marks with their spaces', 'le « stone bridge » est', [' stone bridge ']],
    ['German angle marks', 'die »stone bridge« ist', ['stone bridge']],
    ['Finnish angle marks', 'se »stone bridge» on', ['stone bridge']],
    ['single angle marks', '‹stone bridge› and ›old town‹', ['stone bridge', 'old town']],
    ['single curly marks', 'the ‘stone bridge’ fell', ['stone bridge']],
    ['German single marks', 'die ‚stone bridge‘ ist', ['stone bridge']],
    ['corner brackets', '他说「你好」然后『再见』', ['你好', '再见']],
    ['marks without spaces around them', '他说“你好”然后“再见”', ['你好', '再见']],
    ['several', '"a b" and “c d”', ['a b', 'c d']],
    ['neighbors', '"a""b"', ['a', 'b']],
    ['marks within words', 'old"stone bridge"new', ['stone bridge']],
    ['the outer of two', '“he said "stone bridge" twice”', ['he said "stone bridge" twice']],
    ['punctuation inside', '"...and then?" "(so)"', ['...and then?', '(so)']],
    ['spaces inside', '" stone bridge "', [' stone bridge ']],
  ])('are found by %s', (_marks, text, expected) => {
    expect(inner(text)).toEqual(expected)
  })

  it.each([
    ['apostrophes within words', 'don’t and can’t, it’s the ’90s'],
    ['apostrophes behind words', 'the players’ lounge and the boys’ mother'],
    ['straight apostrophes', "'stone bridge' isn't"],
    ['inches', '5" pipe, 7" single and 6\'2" tall'],
    ['an opening mark alone', 'he said "stone bridge'],
    ['a closing mark alone', 'stone bridge” he said'],
    ['marks the wrong way around', 'stone” bridge “old'],
    ['a path of links', 'Home » Products » Shoes › Boots › New'],
    ['marks of different kinds', '“stone bridge"'],
  ])('are not found in %s', (_marks, text) => {
    expect(inner(text)).toEqual([])
  })

  it('are found after an unpaired mark', () => {
    expect(inner('he said "hello and "stone bridge" fell')).toEqual(['stone bridge'])
    expect(inner('“hello and “stone bridge” fell')).toEqual(['stone bridge'])
    expect(inner('‘Tis the "stone bridge" of the boys’ mother')).toEqual(['stone bridge'])
    expect(inner('a 12" vinyl of "old town" and a 7" single')).toEqual(['old town'])
    expect(inner('"stone bridge "old town"')).toEqual(['old town'])
    expect(inner('„stone bridge "old town"')).toEqual(['old town'])
  })

  it('may contain apostrophes', () => {
    expect(inner('‘don’t look’ she said')).toEqual(['don’t look'])
    expect(inner('“the players’ lounge”')).toEqual(['the players’ lounge'])
  })

  it('never overlap and are within the text, whatever it contains', () => {
    const piece = fc.constantFrom(...'"“”„‟«»‹›‘’‚‛「」『』＂ ab.,-('.split(''))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), pieces => {
        const text = pieces.join('')
        let before = 0
        for (const { start, end } of quotationsIn(text)) {
          expect(start).toBeGreaterThanOrEqual(before)
          expect(end).toBeGreaterThanOrEqual(start + 2)
          expect(end).toBeLessThanOrEqual(text.length)
          before = end
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('are found in linear time in a query that consists only of marks', () => {
    const began = process.cpuUsage()
    for (const mark of ['"', '“', '„', '‘', '«', '“„', '‘ ', '"‘']) quotationsIn(mark.repeat(200_000 / mark.length))
    const { user } = process.cpuUsage(began)
    // Quadratic time would take minutes.
    expect(user).toBeLessThan(20_000_000)
  })
})
