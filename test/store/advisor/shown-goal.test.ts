import { describe, expect, it } from 'vitest'
import { shownGoal } from '../../../store/advisor/shown-goal.ts'
import { hostileTexts } from './hostile-texts.ts'

describe('the quoted goal', () => {
  it('is a line of code', () => {
    expect(shownGoal('search <b> *news* | [x](y)')).toBe('`search <b> *news* | [x](y)`')
    expect(shownGoal(' a\r\nb\u0007c`d\u202ee\u2028f ')).toBe("`a b c'd e f`")
  })

  it('has at most 80 characters', () => {
    expect(shownGoal('𝒳'.repeat(80))).toBe(`\`${'𝒳'.repeat(80)}\``)
    expect(shownGoal('𝒳'.repeat(81))).toBe(`\`${'𝒳'.repeat(80)} …\``)
  })

  it('is empty if nothing can be shown', () => expect(shownGoal(' \n\u200b')).toBe(''))

  it('never contains a line end, a control character or a backtick inside', () => {
    for (const goal of hostileTexts(200))
      expect(shownGoal(goal)).toMatch(/^(?:`[^`\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]+`)?$/u)
  })
})
