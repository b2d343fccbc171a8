import { describe, expect, it } from 'vitest'
import { clip, isHighSurrogate, isLowSurrogate, isSurrogate } from '../../../extract/characters/surrogates.ts'

describe('a UTF-16 unit', () => {
  it.each([
    [0xd7ff, false, false],
    [0xd800, true, false],
    [0xdbff, true, false],
    [0xdc00, false, true],
    [0xdfff, false, true],
    [0xe000, false, false],
    [0x1d800, false, false],
  ])('%i is the first half of a pair: %s, the second: %s', (unit, isHigh, isLow) => {
    expect([isHighSurrogate(unit), isLowSurrogate(unit)]).toEqual([isHigh, isLow])
    expect(isSurrogate(unit)).toBe(isHigh || isLow)
  })
})

describe('clip', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abc', 2, 'ab'],
    ['a😀b', 2, 'a'],
    ['a😀b', 3, 'a😀'],
    ['😀', 0, ''],
  ])('%j to %i units is %j', (text, limit, clipped) => {
    expect(clip(text, limit)).toBe(clipped)
  })
})
