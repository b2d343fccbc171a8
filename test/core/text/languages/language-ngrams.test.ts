import { describe, expect, it } from 'vitest'
import { languageNgrams } from '../../../../core/text/languages/language-ngrams.ts'
import { moduleOfPackage } from '../../../../core/text/languages/table/package-module.ts'

interface WrittenNgrams {
  ngramsData: { type: string; languages: object; ngrams: Record<string, object> }
}

const module = (ngrams: string): Buffer =>
  Buffer.from(`export const ngramsData = {type:'XS',languages:{0:'am',9:'de'},ngrams:{${ngrams}}};`)

describe('the n-grams of languages', () => {
  it('equal those of the module that they are read from', () => {
    const { type, languages, ngrams } = languageNgrams()
    const written = moduleOfPackage<WrittenNgrams>('eld', 'src/ngrams/extrasmall.js').ngramsData
    expect({ type, languages }).toEqual({ type: written.type, languages: written.languages })
    const unlike = Object.entries(written.ngrams).filter(
      ([ngram, weights]) => JSON.stringify(ngrams[ngram]) !== JSON.stringify(weights),
    )
    expect(unlike).toEqual([])
  })

  it('are read with single quotes, double quotes and no quotes', () => {
    const { languages, ngrams } = languageNgrams(module(`'a\\'b"':{0:1,9:255},"d'e ":{9:7},f_:{0:90}`))
    expect(languages).toEqual({ 0: 'am', 9: 'de' })
    expect(['a\'b"', "d'e ", 'f_', 'f', '', 'longer than one', '食'].map(ngram => ngrams[ngram])).toEqual([
      { 0: 1, 9: 255 },
      { 9: 7 },
      { 0: 90 },
      ...[undefined, undefined, undefined, undefined],
    ])
  })

  it.each([
    '',
    'export const ngramsData = {}',
    ...[`'ab':{0:1`, `'ab':{0:1;`, `'ab':{0}`, `'ab':{x:1}`, `'ab':[0]`, `'ab`, 'abcdefgh:{0:1}', `'ab':{0:1000}`].map(
      text => String(module(text)).replace(/\}\};$/, ''),
    ),
    String(module("'ab':{0:1},'ab':{0:1}")),
    String(module("'':{0:1}")),
    String(module("'ab':{200:1}")),
  ])('are rejected in an unexpected format: %j', source => {
    expect(() => languageNgrams(Buffer.from(source))).toThrow(/n-grams of eld/)
  })
})
