import { describe, expect, it } from 'vitest'
import {
  ENDING_BITS,
  endingOf,
  hasFrequentEnding,
  NOT_AS_WRITTEN,
} from '../../../../core/text/languages/english-endings.ts'
import { englishStem } from '../../../../core/text/languages/english-stem.ts'

const families = [
  'import imports imported importing important importance',
  'intern interns internal international internally internationally internment',
  'organ organs organize organized organizing organization organizations',
  'univers universe universal university universities',
  'general generally generalize generation generate generated generator',
].map(family => family.split(' '))

describe('endingOf', () => {
  it('differs between words that have one stem', () => {
    for (const family of families) {
      const written = family.map(word => [englishStem(word), endingOf(word, englishStem(word))].join())
      expect(new Set(written).size, family.join()).toBe(family.length)
    }
  })

  it('is 0 for a word that is its own stem, and is never that of joined words', () => {
    expect(endingOf('import', 'import')).toBe(0)
    for (const word of [...families.flat(), 'xyzzyquxes', `${'z'.repeat(60)}ing`, 'happy', 'dying']) {
      const ending = endingOf(word, englishStem(word))
      expect(ending).toBeLessThan(NOT_AS_WRITTEN)
      expect(ending === 0).toBe(word === englishStem(word))
    }
    expect(NOT_AS_WRITTEN).toBeLessThan(2 ** ENDING_BITS)
  })
})

describe('hasFrequentEnding', () => {
  it.each([
    ['import', true],
    ['imports', true],
    ['important', true],
    ['importanted', false],
  ])('of %s is %s', (word, expected) => {
    expect(englishStem(word)).toBe('import')
    expect(hasFrequentEnding(word, 'import')).toBe(expected)
  })
})
