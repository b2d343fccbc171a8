import { localName, readXml } from '../html/xml-reader.ts'

const DAY_MS = 86_400_000
/** Day 0 of the two date systems of workbooks. The system of 1900 has a 29 February in 1900, which did not exist. */
const EPOCH_1900 = Date.UTC(1899, 11, 30)
const EPOCH_1904 = Date.UTC(1904, 0, 1)
/** Built-in number formats that show dates or times (ECMA-376 part 1, 18.8.30). */
const builtInDates = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 47])
const MAX_FORMATS = 10_000

/** The number formats of cells, which show whether a number is a date. */
export class CellFormats {
  readonly #kinds: CellKind[] = []
  readonly #epoch: number

  /** @param styles - the XML of `xl/styles.xml`; '' if there is no such file. */
  constructor(styles: string, epochIs1904: boolean) {
    this.#epoch = epochIs1904 ? EPOCH_1904 : EPOCH_1900
    const own = new Map<number, CellKind>()
    let isCellFormats = false
    readXml(styles, {
      open: (tag, { numfmtid, formatcode = '' }) => {
        const name = localName(tag)
        if (name === 'numfmt' && own.size < MAX_FORMATS) own.set(Number(numfmtid), kindOf(formatcode))
        else if (name === 'cellxfs') isCellFormats = true
        else if (name === 'xf' && isCellFormats && this.#kinds.length < MAX_FORMATS)
          this.#kinds.push(own.get(Number(numfmtid)) ?? builtInKind(Number(numfmtid)))
      },
      close: tag => {
        if (localName(tag) === 'cellxfs') isCellFormats = false
      },
    })
  }

  /** Returns the text of a number: ISO 8601 if it is a date, hours if it is a duration, otherwise 15 significant digits. */
  shown(value: string, style: number): string {
    const number = Number(value)
    if (value.trim() === '' || !Number.isFinite(number)) return value
    const kind = this.#kinds[style] ?? 'number'
    if (kind === 'percent') return `${Number((number * 100).toPrecision(15))}%`
    if (kind === 'number') return String(Number(number.toPrecision(15)))
    if (kind === 'duration') return durationOf(number)
    const at = new Date(this.#epoch + Math.round(number * DAY_MS))
    if (Number.isNaN(at.getTime()) || number < 0 || at.getUTCFullYear() > 9999) return value
    const iso = at.toISOString()
    const [day, time] = [iso.slice(0, 10), iso.slice(11, 19)]
    return number < 1 ? time : time === '00:00:00' ? day : `${day} ${time}`
  }
}

/** How the format of a cell shows its number. */
type CellKind = 'number' | 'date' | 'duration' | 'percent'

function builtInKind(format: number): CellKind {
  if (format === 46) return 'duration'
  return builtInDates.has(format) ? 'date' : format === 9 || format === 10 ? 'percent' : 'number'
}

/** Returns the kind of a format code, not counting quotes, escapes, colors and conditions. */
function kindOf(code: string): CellKind {
  const [first = ''] = code.slice(0, 500).split(';', 1)
  const bare = first.replace(/"[^"]*"|\\.|\[(?!h+\]|m+\]|s+\])[^\]]*\]|general/gi, '')
  if (/\[(?:h+|m+|s+)\]/i.test(bare)) return 'duration'
  return /[dmyhs]/i.test(bare) ? 'date' : bare.includes('%') ? 'percent' : 'number'
}

/** Returns a number of days as hours, minutes and seconds. */
function durationOf(days: number): string {
  const seconds = Math.round(Math.abs(days) * 86_400)
  const [hours, rest] = [Math.floor(seconds / 3600), seconds % 3600]
  const two = (number: number) => String(number).padStart(2, '0')
  return `${days < 0 ? '-' : ''}${hours}:${two(Math.floor(rest / 60))}:${two(rest % 60)}`
}
