import { createRequire } from 'node:module'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { languages } from '../../../../../core/text/languages/table/languages.ts'
import { languageStem } from '../../../../../core/text/terms/language-terms.ts'

const require = createRequire(import.meta.url)
const reference: { newStemmer(name: string): { stem(word: string): string } } = require('snowball-stemmers')

/** Languages whose algorithm is the same in the reference implementation's release of Snowball and in ours. */
const same = `
ar arabic يبيع التجار في الأسواق القديمة التوابل والأقمشة ويزور السياح هذه المحلات كل يوم والمدينة كبيرة
da danish bøndernes gamle både ligger i de rolige havne og fiskerne sælger deres fangst på torvene hver morgen
es spanish los antiguos faros guiaban a los pescadores que volvían de noche con sus barcas cargadas de sardinas
fi finnish syksyllä perheet keräävät metsissä mustikoita ja puolukoita joista keitetään hilloa pitkää talvea varten
fr french chaque samedi les paysans vendent leurs légumes frais et les boulangers apportent des pains continuellement
hu hungarian a régi malmok a folyók partján állnak és a mesterek minden tavasszal megjavítják a lapátokat
it italian nelle vecchie botteghe gli artigiani riparano orologi e costruiscono violini che suonano dappertutto
no norwegian bøndene selger grønnsakene sine på torgene og fiskerne kommer tilbake til havnene med båtene fulle
pt portuguese os moradores plantaram laranjeiras nas praças e regam as flores todas as manhãs antes de abrirem as lojas
ru russian на берегах этой реки стоят деревянные мельницы и мастера чинят их крылья каждую весну важность
sv swedish på sommaren seglar familjerna mellan öarna och lagar sina gamla träbåtar i de lugna hamnarna
tr turkish çarşıdaki bakırcılar ve halıcılar dükkanlarını sabah erkenden açar müşterilerine çay ikram ederler
`
  .trim()
  .split('\n')
  .map(line => line.split(' '))
  .map(([code, name, ...words]) => ({ code: code!, name: name!, words }))

describe('a Snowball stemmer', () => {
  it.each(same)('for $name agrees with the reference implementation', ({ code, name, words }) => {
    const other = reference.newStemmer(name)
    for (const word of words) expect(languages.of(code)!.stem!(word), word).toBe(other.stem(word))
  })

  // From the published pages of algorithms that the reference's release lacks or implements differently.
  it.each([
    ['de', 'aufeinanderfolgenden', 'aufeinanderfolg'],
    ['de', 'häuser', 'haus'],
    ['de', 'haeuser', 'haus'],
    ['cs', 'domech', 'dom'],
    ['fa', 'کتاب‌ها', 'کتاب'],
    ['pl', 'domami', 'dom'],
  ])('for %s stems %s to %s', (code, word, stem) => {
    expect(languages.of(code)!.stem!(word)).toBe(stem)
  })

  it('accepts any word in any language', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...languages.stemmed),
        fc.oneof(fc.string({ unit: 'binary', maxLength: 64 }), fc.string({ unit: 'grapheme', maxLength: 64 })),
        (language, word) => {
          expect(typeof languageStem(word, language)).toBe('string')
        },
      ),
      { numRuns: 2000 },
    )
  })
})

describe('languageStem', () => {
  it.each([
    ['tr', 'EVLERİMİZDEN', 'ev'],
    ['tr', 'IŞIK', 'isik'],
    ['sv', 'FÖRSÄKRINGAR', 'forsakring'],
    ['ru', 'Ёлками', 'елк'],
    ['de', 'Ha\u0308user', 'haus'],
    ['ar', 'الكِتابُ', 'كتاب'],
  ])('in %s stems and folds %s to %s', (language, word, stem) => {
    expect(languageStem(word, language)).toBe(stem)
  })
})
