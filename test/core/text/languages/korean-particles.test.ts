import { describe, expect, it } from 'vitest'
import { withoutParticle } from '../../../../core/text/languages/korean-particles.ts'

describe('withoutParticle', () => {
  it.each([
    ['서울에서', '서울'],
    ['서울은', '서울'],
    ['서울의', '서울'],
    ['서울로', '서울'],
    ['학교는', '학교'],
    ['학교로부터', '학교'],
    ['학생들에게', '학생'],
    ['도서관에서는', '도서관'],
    ['부두를', '부두'],
    ['집에', '집'],
  ])('of %s is %s', (word, noun) => {
    expect(withoutParticle(word)).toBe(noun)
  })

  it.each(['서울', '국가', '나이', '거리', '은', '', 'seoul은'])('of %j is nothing', word => {
    expect(withoutParticle(word)).toBe('')
  })
})
