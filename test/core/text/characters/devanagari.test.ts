import { describe, expect, it } from 'vitest'
import { foldWord } from '../../../../core/text/characters/fold.ts'

describe('the spelling of Devanagari', () => {
  it.each([
    ['हिन्दी', 'हिंदी'],
    ['सम्बन्ध', 'संबंध'],
    ['ठण्डा', 'ठंडा'],
    ['गङ्गा', 'गंगा'],
    ['पञ्च', 'पंच'],
    ['इन्टरनेट', 'इंटरनेट'],
    ['पाँच', 'पांच'],
    ['ज़रूर', 'जरूर'],
    ['ज़रूर', 'जरूर'],
    ['सड़क', 'सडक'],
    ['क्\u200dया', 'क्या'],
    ['हिन्\u200dदी', 'हिंदी'],
  ])('is the same for %j and %j', (one, other) => {
    expect(foldWord(one)).toBe(foldWord(other))
  })

  it.each([
    ['न्याय', 'ंयाय'],
    ['अन्य', 'अंय'],
    ['उन्हें', 'उंहें'],
    ['जन्म', 'जंम'],
    ['अन्न', 'अंन'],
    ['कम', 'काम'],
  ])('keeps %j apart from %j', (one, other) => {
    expect(foldWord(one)).not.toBe(foldWord(other))
  })
})
