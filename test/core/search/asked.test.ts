import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Asked, readAsked } from '../../../core/search/asked.ts'
import { parseSearch, wordsForModels } from '../../../core/search/parse-search.ts'

const read = (text: string, { isWebql = false, isTyped = false } = {}) => readAsked(text, { isWebql, isTyped })

/** Returns the kind of what is asked, with what is particular to the kind. */
function shortly(asked: Asked): string {
  if (asked.kind === 'page') return `page ${asked.url}`
  if (asked.kind === 'site') return `site ${asked.site}`
  if ('address' in asked && asked.address) return `${asked.kind} at ${asked.address.site}`
  return asked.kind
}

describe('what a query asks for', () => {
  it.each([
    ['', 'browse', []],
    ['https://a.example/b', 'page https://a.example/b', ['page']],
    [' HTTPS://A.example/b#c ', 'page https://a.example/b', ['page']],
    ['site:a.example', 'site a.example', ['site']],
    ['site:a.example -site:b.a.example', 'site a.example', ['site']],
    ['site:a.example lamp', 'words', []],
    ['-lamp -site:a.example', 'exclusions', ['exclusions']],
    ['red -lamp', 'words', []],
    ['!lamp red', 'words', ['operator']],
    ['cache:lamp 1..5', 'words', ['operator', 'operator']],
    ['a.example/b', 'words at a.example', []],
    ['\u{1F680}', 'words', ['no-word']],
    ['see https://a.example/b', 'words', []],
  ])('of %j is %s', (text, expected, codes) => {
    const { asked, warnings } = read(text)
    expect([shortly(asked), warnings.map(({ code }) => code)]).toEqual([expected, codes])
  })

  it.each([
    ['', 'browse'],
    ['lam', 'typed'],
    ['a.example', 'typed at a.example'],
    ['site:a.example', 'site a.example'],
    ['-lamp', 'exclusions'],
    ['https://a.example/', 'page https://a.example/'],
  ])('of %j that is still typed is %s', (text, expected) => {
    expect(shortly(read(text, { isTyped: true }).asked)).toBe(expected)
  })

  it.each([
    ['', 'browse'],
    ['lamp AND (red OR site:a.example)', 'webql'],
    ['-lamp', 'webql'],
    ['site:a.example', 'site a.example'],
    ['https://a.example/', 'page https://a.example/'],
  ])('of %j in the full language is %s', (text, expected) => {
    expect(shortly(read(text, { isWebql: true }).asked)).toBe(expected)
  })

  it('is plain data of one kind, whatever the text', () => {
    const part = fc.constantFrom(
      'lamp',
      '-',
      'site:',
      'a.example',
      '"',
      ' ',
      'OR',
      '(',
      ')',
      'https://',
      '!',
      '*',
      '..',
      ':',
    )
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), fc.boolean(), (parts, isTyped) => {
        let asked: Asked
        try {
          asked = read(parts.join(''), { isTyped }).asked
        } catch (error) {
          expect(error).toHaveProperty('code')
          return
        }
        expect(structuredClone(asked)).toEqual(asked)
        expect(['page', 'site', 'exclusions', isTyped ? 'typed' : 'words']).toContain(asked.kind)
      }),
    )
  })
})

describe('models', () => {
  it.each([
    ['red lamp', 'red lamp'],
    ['!lamp red', 'red'],
    ['1..5 lamps', '1..5 lamps'],
    ['-lamp', ''],
    ['site:a.example', ''],
    ['https://a.example/', ''],
    ['', ''],
    ['\u{1F680}', ''],
  ])('get of %j the words %j, with or without a warning', (text, words) => {
    const parsed = parseSearch(text, {})
    expect(wordsForModels(parsed)).toBe(words)
    expect(wordsForModels({ ...parsed, warnings: [{ code: 'operator', text: 'a note' }] })).toBe(words)
  })
})
