import { describe, expect, it } from 'vitest'
import { TermScanner } from '../../../../core/text/terms/term-scanner.ts'
import { TokenBuffer, tokenize } from '../../../../core/text/terms/tokens.ts'

function joinedIn(text: string): string[] {
  const tokens = new TokenBuffer()
  tokenize(text, tokens)
  const at = Array.from({ length: tokens.count }, (_, i) => i)
  return at.filter(i => tokens.isSymbol(i)).map(i => tokens.term(i))
}

describe('words that are written apart', () => {
  it.each([
    ['a plug-in, and e-mail', ['plugin', 'email']],
    ['“Wi-Fi” and (utf-8)', ['wifi', 'utf8']],
    ['RTX-4090 COVID-19 ISO-8601', ['rtx4090', 'covid19', 'iso8601']],
    ['plug‐in and plug‑in', ['plugin', 'plugin']],
    ['the U.S.A. and the U.N.', ['usa', 'un']],
    ['a T-shirt', ['tshirt']],
    ['on-line', ['onlin']],
    ['😀e-mail', ['email']],
  ])('are terms joined: %s', (text, terms) => {
    expect(joinedIn(text)).toEqual(terms)
  })

  it.each([
    '2019-2020',
    'state - of',
    'of-the',
    'the-art',
    'plug--in',
    'at 9 a.m.',
    'www.a.b.example',
    'é-mail',
    '𝐀e-mail',
    '𝐀b-c 𝐀.b.c',
    `${'x'.repeat(40)}-y`,
    'J. K. Rowling',
  ])('are not joined in %s', text => {
    expect(joinedIn(text)).toEqual([])
  })

  it('are found by a scan from the first to the last of them', () => {
    const text = 'Send e-mail: an email, or “e-mail” to the U.S.A.'
    const found = new TermScanner(['email', 'usa']).scan(text).map(({ start, end }) => text.slice(start, end))
    expect(found).toEqual(['e-mail', 'email', 'e-mail', 'U.S.A'])
  })
})
