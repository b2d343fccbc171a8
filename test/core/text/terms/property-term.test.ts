import { describe, expect, it } from 'vitest'
import { languageRanges, urlText } from '../../../../core/text/terms/property-term.ts'

describe('languageRanges', () => {
  it.each([
    ['en', ['en']],
    ['pt-BR', ['pt-br', 'pt']],
    ['zh_Hant_TW', ['zh-hant-tw', 'zh-hant', 'zh']],
    ['', []],
    ['english of old', []],
    ['e', []],
  ])('expands %j to %j', (tag, ranges) => {
    expect(languageRanges(tag)).toEqual(ranges)
  })
})

describe('urlText', () => {
  it.each([
    ['https://example.com/a/b.html?q=c', 'example.com/a/b.html?q=c'],
    ['https://example.com/caf%C3%A9', 'example.com/café'],
    ['https://example.com/caf%E9', 'example.com/caf%E9'],
    ['file:///home/a', '/home/a'],
  ])('reads %s as %s', (url, text) => {
    expect(urlText(url)).toBe(text)
  })
})
