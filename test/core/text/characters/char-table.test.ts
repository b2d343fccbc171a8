import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { compose, foldCodePoint, severalFolds, unitClasses, WORD } from '../../../../core/text/characters/char-table.ts'
import { foldWord } from '../../../../core/text/characters/fold.ts'
import { generateUnicodeTable } from '../../../../core/text/characters/generate-unicode.ts'
import { unicodeVersion } from '../../../../core/text/characters/unicode.generated.ts'

const sameUnicode = process.versions.unicode === unicodeVersion

describe('the Unicode table', () => {
  // The table is committed because another Unicode version would generate another one.
  it.skipIf(!sameUnicode)('equals the output of the generator for the Unicode version that it names', () => {
    const committed = readFileSync(
      new URL('../../../../core/text/characters/unicode.generated.ts', import.meta.url),
      'utf8',
    )
    expect(generateUnicodeTable()).toBe(committed)
  })

  it.skipIf(!sameUnicode)('classes only letters, numbers and marks as words, and no apostrophe letters', () => {
    for (let unit = 0; unit < 0x10000; unit++) {
      const isWord = unitClasses[unit] === WORD
      if (isWord && !/[\p{L}\p{N}\p{M}]/u.test(String.fromCharCode(unit))) throw new Error(`U+${unit.toString(16)}`)
    }
    expect(unitClasses[0x02bb]).toBe(0)
    expect(unitClasses[0x02bc]).toBe(0)
  })

  it.skipIf(!sameUnicode)('folds every letter to letters that fold to themselves', () => {
    for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
      for (const part of severalFolds.get(codePoint) ?? [foldCodePoint(codePoint)])
        if (severalFolds.has(part) || foldCodePoint(part) !== part) throw new Error(`U+${codePoint.toString(16)}`)
    }
  })

  it('classes no character as a word that folds to nothing', () => {
    const words = Array.from({ length: 0x10000 }, (_, unit) => unit).filter(unit => unitClasses[unit] === WORD)
    expect(words.filter(unit => foldWord(String.fromCharCode(unit)) === '')).toEqual([])
  })

  it('composes Hangul as Unicode does', () => {
    for (let syllable = 0xac00; syllable <= 0xd7a3; syllable++) {
      const [first, vowel, tail] = Array.from(String.fromCodePoint(syllable).normalize('NFD'), c => c.codePointAt(0)!)
      const open = compose(first!, vowel!)
      expect(tail === undefined ? open : compose(open, tail)).toBe(syllable)
    }
  })

  it('composes voiced Kana', () => {
    expect(compose('か'.codePointAt(0)!, 0x3099)).toBe('が'.codePointAt(0))
    expect(compose('ハ'.codePointAt(0)!, 0x309a)).toBe('パ'.codePointAt(0))
    expect(compose('あ'.codePointAt(0)!, 0x3099)).toBe(0)
  })
})
