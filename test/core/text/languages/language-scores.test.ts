import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyzer } from '../../../../core/text/languages/analyzers.ts'
import { languageScores } from '../../../../core/text/languages/language-scores.ts'
import { moduleOfPackage } from '../../../../core/text/languages/table/package-module.ts'

interface Eld {
  createEld(): {
    instance: { detect(text: string): { getScores(): Record<string, number>; isReliable(): boolean } }
    loadData(data: object): void
  }
}

const { instance: eld, loadData } = moduleOfPackage<Eld>('eld', 'src/languageDetector.js').createEld()
loadData(moduleOfPackage<{ ngramsData: object }>('eld', 'src/ngrams/extrasmall.js').ngramsData)

function expectScoresOfEld(text: string): void {
  const { scores, isReliable } = languageScores(text)
  const result = eld.detect(text)
  const expected = Object.entries(result.getScores()).map(([code, score]) => [analyzer.languages.codeOf(code), score])
  expect([[...scores], isReliable]).toEqual([expected, result.isReliable()])
}

const sentences = [
  'In summer the small huts are open and the walkers find beds and warm soup there for the night.',
  'Im Sommer öffnen die kleinen Hütten, und die Wanderer finden dort Betten und warme Suppen für die Nacht.',
  "L'été, les petits refuges s’ouvrent ; qu'y trouvent d'autres marcheurs ?",
  'Οι μύλοι γυρίζουν όλη μέρα. ΟΙ ΜΥΛΟΙ ΤΗΣ ΠΟΛΗΣ',
  'İSTANBUL’DA YAZIN küçük evler açılır, İzmir',
  'Селяни продають овочі на ринку щоранку, а рибалки повертаються додому ввечері.',
  'ทุกเช้าชาวบ้านขายผักที่ตลาดและชาวประมงกลับบ้านตอนเย็นพร้อมปลาที่จับได้จำนวนมากมายหลายชนิด',
  '古い旅館です 한국의 작은 집',
  'x'.repeat(90),
]

describe('the scores of languages', () => {
  it.each([...sentences, sentences.join(' '), '', ' ', "'", '?! 12', 'a', 'ab', 'abc', 'abcd', 'abcde'])(
    'are those of eld: %j',
    text => expectScoresOfEld(text),
  )

  it('are those of eld for texts of all scripts, apostrophes and separators', () => {
    const part = fc.oneof(
      fc.constantFrom(...sentences.flatMap(sentence => sentence.split(' '))),
      fc.constantFrom(' ', "'", '’', '`', '.', ". '", "' '", '\n', '\ud800', '😀', 'Σ', 'İ', 'ǅ'),
      fc.string({ unit: 'binary', maxLength: 80 }),
    )
    const text = fc.array(part, { maxLength: 120, size: 'max' }).map(parts => parts.join(' '))
    const dense = fc.array(part, { maxLength: 120, size: 'max' }).map(parts => parts.join(''))
    fc.assert(
      fc.property(fc.oneof(text, dense), whole => expectScoresOfEld(whole)),
      { numRuns: 2_000 },
    )
  })
})
