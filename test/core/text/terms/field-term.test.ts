import { describe, expect, it } from 'vitest'
import { languageRanges, urlText } from '../../../../core/text/terms/field-term.ts'

describe('the ranges of a language tag', () => {
  it.each([
    ['en', ['en']],
    ['pt-BR', ['pt-br', 'pt']],
    ['zh_Hant_TW', ['zh-hant-tw', 'zh-hant', 'zh']],
    ['', []],
    ['english of old', []],
    ['e', []],
  ])('of %j are %j', (tag, ranges) => {
    expect(languageRanges(tag)).toEqual(ranges)
  })
})

describe('the text of a URL', () => {
  it.each([
    ['https://example.com/a/b.html?q=c', 'example.com/a/b.html?q=c'],
    ['https://example.com/caf%C3%A9', 'example.com/café'],
    ['https://example.com/caf%E9', 'example.com/caf%E9'],
    ['file:///home/a', '/home/a'],
  ])('of %s is %s', (url, text) => {
    expect(urlText(url)).toBe(text)
  })
})
