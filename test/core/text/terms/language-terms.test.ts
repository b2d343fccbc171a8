import { describe, expect, it } from 'vitest'
import { languageStem } from '../../../../core/text/terms/language-terms.ts'

describe('Hindi stems', () => {
  it.each([
    ['हिन्दी', 'हिंदी'],
    ['डॉक्टर', 'डाक्टर'],
    ['पाँचों', 'पांचों'],
    ['ज़रूरी', 'जरुरी'],
    ['अंग्रेज़ी', 'अँगरेज़ी'],
  ])('of %s and %s are equal', (one, other) => {
    expect(languageStem(one, 'hi')).toBe(languageStem(other, 'hi'))
  })

  it('of different words differ', () => {
    const words = ['किताब', 'पानी', 'भाषा', 'सड़क', 'नगर']
    expect(new Set(words.map(word => languageStem(word, 'hi'))).size).toBe(words.length)
  })
})
