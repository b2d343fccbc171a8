import { describe, expect, it } from 'vitest'
import { englishStem } from '../../../../core/text/languages/english-stem.ts'
import { porter2 } from '../../../../core/text/languages/porter2.ts'

describe('englishStem', () => {
  it.each('gpu cpu llm pdf tv url id api vm faq ngo ev pc ai bus gas bonus virus lens campus status alias'.split(' '))(
    'gives the plural of %s the stem of the singular',
    singular => {
      const plural = /(s|z)$/.test(singular) ? `${singular}es` : `${singular}s`
      expect(englishStem(plural)).toBe(englishStem(singular))
    },
  )

  it.each([
    ['dns', 'dn'],
    ['sms', 'sm'],
    ['mrs', 'mr'],
    ['lens', 'len'],
    ['plus', 'plu'],
    ['menus', 'men'],
    ['buses', 'buse'],
  ])('keeps %s apart from %s', (word, other) => {
    expect(englishStem(word)).not.toBe(englishStem(other))
  })

  it.each('running important nationally processes skies dying news ties shoes was this'.split(' '))(
    'is that of Porter2 for %s',
    word => {
      expect(englishStem(word)).toBe(porter2(word))
    },
  )
})
