import { describe, expect, it } from 'vitest'
import { identifierKey, mayBeIdentifier } from '../../../../core/text/terms/identifier.ts'

describe('identifierKey', () => {
  it('ignores case and separators', () => {
    for (const written of ['SKU-12345', 'sku 12345', 'Sku_12345', ' SKU12345 ', 'ＳＫＵ-12345'])
      expect(identifierKey(written), written).toBe('sku12345')
  })

  it('returns the same key for an ISBN of ten or thirteen digits, and for a GTIN of any length', () => {
    for (const isbn of ['3-16-148410-X', '978-3-16-148410-0', '9783161484100'])
      expect(identifierKey(isbn), isbn).toBe('09783161484100')
    expect(identifierKey('080442957X')).toBe(identifierKey('978-0-8044-2957-3'))
    for (const gtin of ['036000291452', '0036000291452', '00036000291452'])
      expect(identifierKey(gtin), gtin).toBe('00036000291452')
    expect(identifierKey('96385074')).toBe('00000096385074')
  })

  it('keeps the digits of a number whose check digit is wrong', () => {
    for (const number of ['9783161484101', '0804429570', '4006381333930', '00000000'])
      expect(identifierKey(number), number).toBe(number)
  })

  it('keeps the separators between groups of digits in a number that is not a GTIN', () => {
    expect(identifierKey('10-20')).toBe('10-20')
    expect(identifierKey('1020')).toBe('1020')
  })

  it('returns an empty key for a text without letters or digits, and for a text that is too long', () => {
    for (const text of ['', ' - ', '—', 'x'.repeat(65)]) expect(identifierKey(text)).toBe('')
  })
})

describe('mayBeIdentifier', () => {
  it('accepts a valid GTIN, and a word with separators that has digits or only capitals', () => {
    for (const word of ['4006381333931', '978-3-16-148410-0', '978 3 16 148410 0', 'SKU-12345', 'wh/1000xm4', 'BRK.B'])
      expect(mayBeIdentifier(word), word).toBe(true)
  })

  it('rejects other words', () => {
    for (const word of ['aapl', 'AAPL', 'e-mail', "don't", '42', 'x', '', 'a-1', '4006381333930', 'y-'.repeat(40)])
      expect(mayBeIdentifier(word), word).toBe(false)
  })
})
