import { describe, expect, it } from 'vitest'
import { printable, printableJson, printableLine } from '../../../extract/characters/printable.ts'

/** Control characters, among them line ends and tabs, separators of lines, and controls of the writing direction. */
const unsafe = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code)).filter(character =>
  /[\p{Cc}\u2028\u2029]|\p{Bidi_Control}/u.test(character),
)

describe('printable text', () => {
  it('has no control, separator of lines or control of the writing direction, and keeps line ends and tabs', () => {
    for (const character of unsafe) {
      if ('\n\t'.includes(character)) expect(printable(`a${character}b`)).toBe(`a${character}b`)
      else expect(['ab', 'a b']).toContain(printable(`a${character}b`))
    }
  })

  it('keeps every other character, also joiners and right-to-left letters', () => {
    const text = 'سلام می‌خواهم 👩‍👩‍👧 שלום — “x”'
    expect(printable(text)).toBe(text)
  })

  it('shows a name in its true order', () => {
    expect(printable('invoice\u202efdp.exe')).toBe('invoicefdp.exe')
  })

  it('is one line without margins if asked', () => {
    expect(printableLine('\u2028a\r\n\tb\u0085 c\u2029')).toBe('a b c')
  })
})

describe('printable JSON', () => {
  it('has the same value, and none of these characters', () => {
    const value = { [`name${unsafe.join('')}`]: unsafe }
    const json = printableJson(JSON.stringify(value))
    expect(JSON.parse(json)).toEqual(value)
    for (const character of unsafe) expect(json).not.toContain(character)
  })
})
