import { describe, expect, it } from 'vitest'
import { keyOfNgram, languageNgrams, type NgramTable } from '../../../../core/text/languages/language-ngrams.ts'
import { moduleOfPackage } from '../../../../core/text/languages/table/package-module.ts'

interface WrittenNgrams {
  ngramsData: { languages: object; ngrams: Record<string, object> }
}

/** eld adds this number to each weight. */
const LEAST_WEIGHT = 53

function weightsOf(table: NgramTable, languages: readonly string[], ngram: string): Record<number, number> {
  const scores = new Float64Array(languages.length)
  table.addWeights(keyOfNgram(ngram), scores)
  return Object.fromEntries(
    [...scores.entries()].flatMap(([i, score]) => (score > 0 ? [[i, score - LEAST_WEIGHT]] : [])),
  )
}

const module = (ngrams: string): Buffer =>
  Buffer.from(`export const ngramsData = {type:'XS',languages:{0:'am',1:'de'},ngrams:{${ngrams}}};`)

describe('the n-grams of languages', () => {
  it('equal those of the module that they are read from', () => {
    const { languages, table } = languageNgrams()
    const written = moduleOfPackage<WrittenNgrams>('eld', 'src/ngrams/extrasmall.js').ngramsData
    expect({ ...languages }).toEqual(written.languages)
    const unlike = Object.entries(written.ngrams).filter(
      ([ngram, weights]) => JSON.stringify(weightsOf(table, languages, ngram)) !== JSON.stringify(weights),
    )
    expect(unlike).toEqual([])
  })

  it('are read with single quotes, double quotes and no quotes', () => {
    const { languages, table } = languageNgrams(module(`'a\\'b"':{0:1,1:255},"d'e ":{1:7},f_:{0:90}`))
    expect(languages).toEqual(['am', 'de'])
    const ngrams = ['a\'b"', "d'e ", 'f_', 'f', '', 'longer than one', '食']
    expect(ngrams.map(ngram => weightsOf(table, languages, ngram))).toEqual([
      { 0: 1, 1: 255 },
      { 1: 7 },
      { 0: 90 },
      {},
      {},
      {},
      {},
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
