import { describe, expect, it } from 'vitest'
import { isAsideHeading } from '../../../extract/content/aside-headings.ts'

describe('isAsideHeading', () => {
  it.each([
    "Don't miss",
    'DON’T MISS!',
    '— Related Stories —',
    '3 comments',
    'Ähnliche Artikel',
    'A\u0301 lire aussi :',
    'More from our desk',
  ])('finds headings about other pages, ignoring case, accents and punctuation: %s', text => {
    expect(isAsideHeading(text)).toBe(true)
  })

  it.each(['', 'The story of a strike', 'Relatedness'])('finds no other heading: %s', text => {
    expect(isAsideHeading(text)).toBe(false)
  })
})
