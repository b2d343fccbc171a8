import { parseDeclaredDate, type WrittenDate } from '../written-dates/date-text.ts'

/** A date that an article states. */
export interface StatedDate {
  /** 0 for the date on which the article was most likely published first, and more for less likely ones. */
  rank: number
  /** The texts of the date: of its parts by the names of their elements, its own text as '', and the attribute `iso-8601-date` as `iso`. */
  values: Map<string, string>
}

/** Matches the types of dates that are not dates of publication, such as the one on which a repository received the article. */
const otherEvents =
  /received|accepted|rev-?|corrected|retracted|retraction|nihms|pmc|submitted|preprint|created|modified/i

/** Returns a date whose parts are not read yet. In JATS, the attributes of its element name the edition. */
export function statedDate(tag: string, attributes: Readonly<Record<string, string>>): StatedDate {
  const type = attributes['pub-type'] ?? attributes['date-type'] ?? ''
  const isOnline =
    /electronic|online/i.test(attributes['publication-format'] ?? '') || /^e(?:pub|collection)/i.test(type)
  const values = new Map<string, string>()
  const iso = attributes['iso-8601-date']
  if (iso !== undefined) values.set('iso', iso)
  if (otherEvents.test(type)) return { rank: 9, values }
  if (tag === 'date') return { rank: 3, values }
  return { rank: /collection/i.test(type) ? 2 : isOnline ? 0 : 1, values }
}

/** Returns the date of publication among the dates that an article states; undefined if it has none. */
export function dateFrom(dates: readonly StatedDate[]): WrittenDate | undefined {
  const read = dates.flatMap(({ rank, values }) => {
    const date = rank < 9 ? dateOf(values) : undefined
    return date ? [{ rank, date }] : []
  })
  return read.sort((a, b) => a.rank - b.rank)[0]?.date
}

function dateOf(values: ReadonlyMap<string, string>): WrittenDate | undefined {
  const [year, month, day] = ['year', 'month', 'day'].map(part => values.get(part))
  const written = year === undefined ? (values.get('iso') ?? values.get('string-date') ?? values.get('')) : undefined
  if (written !== undefined) return parseDeclaredDate(written, 'month-first')
  if (year === undefined) return undefined
  if (month === undefined) return parseDeclaredDate(year, 'month-first')
  const inMonth = /^\d{1,2}$/.test(month) ? `${year}-${month.padStart(2, '0')}` : undefined
  if (inMonth !== undefined)
    return parseDeclaredDate(day ? `${inMonth}-${day.padStart(2, '0')}` : inMonth, 'month-first')
  return parseDeclaredDate([day, month, year].filter(part => part !== undefined).join(' '), 'month-first')
}
