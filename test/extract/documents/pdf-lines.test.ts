import { describe, expect, it } from 'vitest'
import { linesOf } from '../../../extract/documents/pdf-lines.ts'
import type { PdfRun } from '../../../extract/documents/pdf-right-to-left.ts'

/** A piece of text at `x`, whose characters are 10 wide. */
const run = (str: string, x: number, dir = /[\u0590-\u07ff]/.test(str) ? 'rtl' : 'ltr'): PdfRun => ({
  str,
  dir,
  width: [...str].length * 10,
  height: 12,
  transform: [12, 0, 0, 12, x, 700],
  hasEOL: false,
})
const text = (...runs: PdfRun[]) => linesOf(runs).map(line => line.text)

describe('a line from right to left', () => {
  it('has its words in reading order, whatever their order in the file', () => {
    const words = [run('טוב', 180), run('עולם', 240), run('שלום', 300)]
    expect(text(...words)).toEqual(['שלום עולם טוב'])
    expect(text(...[...words].reverse())).toEqual(['שלום עולם טוב'])
    expect(text(words[1]!, run(' ', 280), words[0]!, words[2]!)).toEqual(['שלום עולם טוב'])
  })
  it.each([
    ['a number', [run('טוב', 100), run('25', 150), run('שלום', 200)], 'שלום 25 טוב'],
    ['two numbers', [run('טוב', 100), run('20', 150), run('10', 200), run('שלום', 250)], 'שלום 10 20 טוב'],
    ['a number in two pieces', [run('טוב', 100), run('3,', 150), run('14', 170), run('שלום', 250)], 'שלום 3,14 טוב'],
    ['Latin words', [run('טוב', 100), run('Windows', 150), run('11', 230), run('שלום', 300)], 'שלום Windows 11 טוב'],
    ['Arabic', [run('جميل', 100), run('١٢', 150), run('بيت', 200)], 'بيت ١٢ جميل'],
    ['a word in two pieces', [run('ום', 100), run('של', 120)], 'שלום'],
    ['forms of letters', [run('\ufe8d\ufedf\ufecc\ufeae\ufe91', 100)], 'العرب'],
  ])('with %s is read in order', (_what, runs, expected) => {
    expect(text(...runs)).toEqual([expected])
  })
  it('starts on the right', () => {
    expect(linesOf([run('שלום', 300)])[0]).toMatchObject({ start: -340, end: -300 })
  })
})

it('a line from left to right keeps the order of the file', () => {
  expect(text(run('one ', 100), run('שלום', 140), run(' two', 180))).toEqual(['one שלום two'])
})

describe('a small number beside a line', () => {
  /** A piece at a distance above the line, with a part of its size. */
  const small = (str: string, x: number, above: number, size = 7): PdfRun => ({
    ...run(str, x),
    width: str.length * 5,
    height: size,
    transform: [size, 0, 0, size, x, 700 + above],
  })
  it.each([
    ['above digits is an exponent', [run('10', 0), small('6', 20, 4), run(' Pa', 25)], '10⁶ Pa'],
    ['with a sign is one too', [run('10', 0), small('-3', 20, 4), run(' mol', 30)], '10⁻³ mol'],
    ['below is an index', [run('H', 0), small('2', 10, -2), run('O', 15)], 'H₂O'],
    ['behind a word marks a note', [run('the word', 0), small('1', 80, 4), run(' ends', 85)], 'the word[1] ends'],
    ['on the line is part of the text', [run('Size 1', 0), small('2', 60, 0)], 'Size 12'],
    ['of the same size is part of the text', [run('A 1', 0), small('2', 30, 3, 12)], 'A 12'],
    ['behind a gap is not at the word', [run('Total', 0), small('25', 90, 3)], 'Total25'],
  ])('%s', (_what, runs, line) => {
    expect(text(...runs)).toEqual([line])
  })
})
