import { describe, expect, it } from 'vitest'
import type { PdfLine } from '../../../extract/documents/pdf-lines.ts'
import { writePdf } from '../../../extract/documents/pdf-markdown.ts'

const line = (text: string, bottom: number, size = 11, start = 60): PdfLine => ({
  text,
  start,
  end: start + text.length * size * 0.5,
  bottom,
  size,
})
/** The lines of a text, each full, with its last line. */
const prose = (n: number, top = 680): PdfLine[] => [
  line(`The harbour of town number ${n} was rebuilt in stages that took longer`, top),
  line('than the plan of the year before had said, and the reasons are long', top - 14),
  line('known to all that worked there.', top - 28),
]
const body = (n: number) =>
  `The harbour of town number ${n} was rebuilt in stages that took longer than the plan of the year before had said, and the reasons are long known to all that worked there.`
const pagesOf = (count: number, page: (n: number) => PdfLine[]) =>
  Array.from({ length: count }, (_, at) => page(at + 1))
const onlyProse = (count: number) =>
  pagesOf(count, n => [line(body(n), 0)])
    .map((_, at) => body(at + 1))
    .join('\n\n---\n\n')

describe('a running title of a PDF', () => {
  it.each<[string, (n: number) => PdfLine[]]>([
    ['a title', n => [line('Harbour Journal', 760), ...prose(n)]],
    ['a title of two lines', n => [line('Harbour Journal', 760), line('All about berths', 746), ...prose(n)]],
    ['a page number', n => [...prose(n), line(String(n + 7), 30)]],
    ['a Roman page number', n => [...prose(n), line(['i', 'ii', 'iii', 'iv', 'v'][n - 1]!, 30)]],
    ['a page number of all', n => [...prose(n), line(`Page ${n} of 5`, 30)]],
    ['a labeled page number', n => [...prose(n), line(`Harbour Journal | ${n}`, 30)]],
    ['a title with a page number in small letters', n => [...prose(n), line(`Harbour Journal ${n}`, 30, 8)]],
    ['both', n => [line('Harbour Journal', 760), ...prose(n), line(`– ${n} –`, 30)]],
    ['an identifier', n => [line('ISO/IEC 29500-2:2012(E)', 760), ...prose(n)]],
  ])('is left out: %s', (_what, page) => {
    expect(writePdf(pagesOf(5, page))).toBe(onlyProse(5))
  })
  it('is left out on most pages, and with different titles on left and right pages', () => {
    const title = (n: number) => (n % 2 ? line(`Harbour Journal ${n}`, 760) : line(`${n} The Editors`, 760))
    expect(writePdf(pagesOf(8, n => [title(n), ...prose(n)]))).toBe(onlyProse(8))
    const later = pagesOf(5, n => (n === 1 ? prose(n) : [line('Harbour Journal', 760), ...prose(n)]))
    expect(writePdf(later)).toBe(onlyProse(5))
  })
  it('stays on a page that has nothing else', () => {
    const pages = [...pagesOf(4, n => [line('Harbour Journal', 760), ...prose(n)]), [line('Harbour Journal', 760)]]
    expect(writePdf(pages)).toBe(`${onlyProse(4)}\n\n---\n\nHarbour Journal`)
  })
})

describe('the text of a PDF', () => {
  const texts = (pages: PdfLine[][]) => pages.flatMap(lines => lines.map(({ text }) => text))

  it.each<[string, (n: number) => PdfLine[]]>([
    [
      'a form with numbers that count',
      n => [line('Berth plan', 700), line(`Berth ${n}`, 680), line(`Depth ${n + 3} m`, 660)],
    ],
    [
      'a form with large distances',
      n => [line('Berth plan', 700), line(`Berth ${n}`, 660), line(`Depth ${n + 3} m`, 620)],
    ],
    ['a number as the only other line', n => [line('Berth', 700), line(String(n), 680)]],
    [
      'a number that counts below a list',
      n => [line('Total of ships', 700), line('in the harbour', 686), line(String(n), 672)],
    ],
    ['numbers that do not count', n => [line('Report', 700), line('Ships', 686), line(String(n * n), 30)]],
    ['a row of numbers', () => [line('Depth of a berth', 700), line('Price of it', 686), line('4.5 10 12 200', 600)]],
    [
      'a heading with a number',
      n => [line(`Berth ${n}`, 760, 16), line(`It is ${n} m deep`, 700), line('and wide', 686)],
    ],
  ])('keeps each line of short pages: %s', (_what, page) => {
    const pages = pagesOf(4, page)
    const markdown = writePdf(pages)
    for (const text of texts(pages)) expect(markdown).toContain(text)
  })
  it('keeps lines that are the same on few pages, at other heights, or on pages that are all the same', () => {
    const few = pagesOf(8, n => (n < 4 ? [line('Summary', 760), ...prose(n)] : prose(n)))
    expect(writePdf(few).match(/Summary/g)).toHaveLength(3)
    const moving = pagesOf(4, n => [line('Summary', 760 - 20 * n), ...prose(n, 600)])
    expect(writePdf(moving).match(/Summary/g)).toHaveLength(4)
    const same = pagesOf(4, () => [line('Summary', 760), ...prose(1)])
    expect(writePdf(same).match(/Summary/g)).toHaveLength(4)
    expect(writePdf(same.slice(0, 2)).match(/Summary/g)).toHaveLength(2)
  })
  it('keeps short lines apart, and joins the lines of a paragraph', () => {
    expect(
      writePdf([
        [line('Ann Lee', 700), line('12 Quay Street of the old town', 686), line('Hull', 672), line('UK', 658)],
      ]),
    ).toBe('Ann Lee\n\n12 Quay Street of the old town\n\nHull\n\nUK')
    expect(writePdf([prose(1)])).toBe(body(1))
  })
  it('has a heading of several lines as one, whether centered or not', () => {
    for (const start of [60, 110])
      expect(
        writePdf([
          [
            line('The Reconstruction of Small Harbours in', 740, 24),
            line('Northern Countries', 712, 24, start),
            ...prose(1),
          ],
        ]),
      ).toBe(`# The Reconstruction of Small Harbours in Northern Countries\n\n${body(1)}`)
  })
  it('has a heading with a number, and one that is far away, as headings of their own', () => {
    expect(
      writePdf([[line('1 Harbours', 740, 20), line('2 Quays', 716, 20), line('Ships', 600, 20), ...prose(1, 560)]]),
    ).toBe(`# 1 Harbours\n\n# 2 Quays\n\n# Ships\n\n${body(1)}`)
  })
  it('reads many lines in the margin in little time', () => {
    const row = Array.from({ length: 40_000 }, (_, at) => line('a', 700, 11, at))
    expect(writePdf([row, row, row, row]).length).toBeGreaterThan(0)
  })
})
