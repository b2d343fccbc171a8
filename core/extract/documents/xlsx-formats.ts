import { readXml } from '../html/xml-reader.ts'

const DAY_MS = 86_400_000
/** Day 0 of the two date systems of workbooks. The system of 1900 has a 29 February in 1900, which did not exist. */
const EPOCH_1900 = Date.UTC(1899, 11, 30)
const EPOCH_1904 = Date.UTC(1904, 0, 1)
/** Built-in number formats that show dates or times (ECMA-376 part 1, 18.8.30). */
const builtInDates = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47])
const MAX_FORMATS = 10_000

/** The number formats of cells, which show whether a number is a date. */
export class CellFormats {
  readonly #isDate: boolean[] = []
  readonly #epoch: number

  /** @param styles - the XML of `xl/styles.xml`; '' if there is no such file. */
  constructor(styles: string, epochIs1904: boolean) {
    this.#epoch = epochIs1904 ? EPOCH_1904 : EPOCH_1900
    const own = new Set<number>()
    let isCellFormats = false
    readXml(styles, {
      open: (name, { numfmtid, formatcode = '' }) => {
        if (name === 'numfmt' && isDateFormat(formatcode)) own.add(Number(numfmtid))
        else if (name === 'cellxfs') isCellFormats = true
        else if (name === 'xf' && isCellFormats && this.#isDate.length < MAX_FORMATS)
          this.#isDate.push(builtInDates.has(Number(numfmtid)) || own.has(Number(numfmtid)))
      },
      close: name => {
        if (name === 'cellxfs') isCellFormats = false
      },
    })
  }

  /** Returns the text of a number: ISO 8601 if it is a date, otherwise 15 significant digits. */
  shown(value: string, style: number): string {
    const number = Number(value)
    if (value.trim() === '' || !Number.isFinite(number)) return value
    if (!this.#isDate[style]) return String(Number(number.toPrecision(15)))
    const at = new Date(this.#epoch + Math.round(number * DAY_MS))
    if (Number.isNaN(at.getTime()) || number < 0 || at.getUTCFullYear() > 9999) return value
    const iso = at.toISOString()
    const [day, time] = [iso.slice(0, 10), iso.slice(11, 19)]
    return number < 1 ? time : time === '00:00:00' ? day : `${day} ${time}`
  }
}

/** True if a format code has parts of a date, not counting quotes, escapes, colors and conditions. */
function isDateFormat(code: string): boolean {
  const [first = ''] = code.slice(0, 500).split(';', 1)
  return /[dmyhs]/i.test(first.replace(/"[^"]*"|\\.|\[(?!h+\]|m+\]|s+\])[^\]]*\]|general/gi, ''))
}
