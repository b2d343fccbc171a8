import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { detectLanguage, languageOfTag } from '../../../../core/text/languages/language-detection.ts'

const german =
  'Im Sommer öffnen die kleinen Hütten, und die Wanderer finden dort Betten und warme Suppen für die Nacht.'
const danish =
  'Bønderne sælger deres grøntsager på torvet hver morgen, og fiskerne kommer hjem med fyldte både om aftenen.'
const english = 'In summer the small huts are open and the walkers find beds and warm soup there for the night.'

describe('the language of a page', () => {
  it.each([
    ['its words', 'Hütten', german, '', 'de'],
    ['its words, against its declaration', 'Hütten', german, 'en', 'de'],
    ['its words, in English', 'Huts', english, '', 'en'],
    ['its words in English, against its declaration', 'Huts', english, 'fr', 'en'],
    ['its declaration, if it has few words', 'Hütten', 'kurz', 'de-AT', 'de'],
    [
      'its declaration, if the detector does not know the language',
      '',
      'La malgrandaj domoj staras apud la rivero kaj la infanoj ludas.',
      'eo',
      'eo',
    ],
    ['nothing, without a declaration and with hardly a word', 'Xy', 'z', '', ''],
    ['nothing, without a letter', '', '1 2 3 !', 'de', ''],
    ['its script', '', 'Οι μύλοι', 'en', 'el'],
    ['its script: Japanese with Kana', '', '古い旅館です', '', 'ja'],
    ['its script: Chinese without Kana', '', '古老的旅馆', '', 'zh'],
    ['its script, against its declaration', '', 'ทุกเช้าชาวบ้าน', 'de', 'th'],
    [
      'its words among languages of one script',
      '',
      'Селяни продають овочі на ринку щоранку, а рибалки повертаються додому ввечері.',
      '',
      'uk',
    ],
    ['an older tag', '', danish.slice(0, 12), 'nb', 'no'],
  ])('is detected from %s', (_evidence, title, text, declared, language) => {
    expect(detectLanguage(title, text, declared)).toBe(language)
  })

  it('is a code or unknown for any text, and is detected for a very long text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary', maxLength: 12 }), (text, tag) => {
        expect(detectLanguage(text, text, tag)).toMatch(/^([a-z]{2,3})?$/)
      }),
      { numRuns: 300 },
    )
    const long = `${german} ${'x '.repeat(100)}`
    expect(detectLanguage('', long.repeat(20_000))).toBe(detectLanguage('', long.repeat(20_000)))
  })
})

it('languageOfTag returns the first part of a tag, as a current code', () => {
  expect(['pt-BR', 'NB', 'iw_IL', ' de ', 'deutsch', ''].map(languageOfTag)).toEqual(['pt', 'no', 'he', 'de', '', ''])
})
