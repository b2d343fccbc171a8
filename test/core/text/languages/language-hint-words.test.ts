import { describe, expect, it } from 'vitest'
import { countHintWords, isPlainEnglish, isProse } from '../../../../core/text/languages/language-hint-words.ts'

const long = (sentence: string): string => `${sentence} `.repeat(Math.ceil(70 / sentence.split(' ').length))

describe('language hint words', () => {
  it.each([
    ['en', 'The mill stands by the river, and the road to it is that of the old quarry.'],
    ['de', 'Die Mühle steht am Fluss, und der Weg zu ihr ist der des alten Steinbruchs.'],
    ['fr', 'Le moulin est au bord de la rivière, et la route qui y mène est celle des anciennes carrières.'],
    ['es', 'El molino está junto al río, y el camino que lleva a él es el de la vieja cantera.'],
    ['fi', 'Mylly on joen rannalla, ja tie sinne on sama kuin vanhalle louhokselle, mutta se on kapea.'],
    ['tr', 'Değirmen nehrin yanındadır ve oraya giden yol eski bir taş ocağı için yapılmıştır, ama bu yol dar.'],
    ['vi', 'Cối xay nằm bên sông và con đường đến đó là của mỏ đá cũ, không có cho người đi bộ.'],
  ])('recognize prose in %s', (_language, sentence) => {
    expect(isProse(countHintWords(long(sentence)))).toBe(true)
  })

  it('tell a long list of names from prose, and count any short text as prose', () => {
    const names = 'Kufa Lakaloba Zototu Totuguga Bofa Dotubo Gukofuba Banoda'
    expect(isProse(countHintWords(long(names)))).toBe(false)
    expect(isProse(countHintWords(names))).toBe(true)
  })

  it('of English prove a text English if there are many', () => {
    expect(isPlainEnglish(countHintWords('the road to the mill and the river'))).toBe(true)
    expect(isPlainEnglish(countHintWords('Die Mühle am Fluss, von der Straße her gesehen, was'))).toBe(false)
    expect(countHintWords('Was it the mill? És a malom.')).toEqual({ words: 7, english: 3, known: 4 })
  })
})
