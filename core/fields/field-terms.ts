import type { FieldType } from '@asof/extract/page'
import { type StoredFields, valuesOf } from './field-values.ts'

/**
 * The prefix of index terms that are made from fields. A page whose field `color` is `red` is indexed under the term
 * `:.color=kred`: prefix, name, a letter for the type, value. Words of a text never begin with a colon. The terms of a
 * field sort in the order of its values. A page with a text in the field has the term without a value, and a term for each word of the
 * text, with positions: `:.summary=t` and `:.summary=tlamp`.
 */
const PREFIX = ':.'

const letters = { keyword: 'k', number: 'n', boolean: 'b', instant: 'i', text: 't' } as const satisfies Record<
  FieldType,
  string
>

/** Returns the prefix of the terms of all fields, or of one field. */
export function fieldsPrefix(name?: string): string {
  return name === undefined ? PREFIX : `${PREFIX}${name}=`
}

/** Returns the prefix of the terms of a field with values of one type. */
export function typedPrefix(name: string, type: FieldType): string {
  return `${PREFIX}${name}=${letters[type]}`
}

/** Returns the word of a term: that of a text of a field without its prefix, any other term as it is. */
export function wordOfTerm(term: string): string {
  if (!term.startsWith(PREFIX)) return term
  const value = term.indexOf('=') + 1
  return term[value] === letters.text ? term.slice(value + 1) : term
}

/** Returns the field and the type of an index term; undefined if the term was not made from a field. */
export function fieldOfTerm(term: string): { name: string; type: FieldType } | undefined {
  if (!term.startsWith(PREFIX)) return undefined
  const end = term.indexOf('=')
  const type = (Object.keys(letters) as FieldType[]).find(type => letters[type] === term[end + 1])
  return end < 0 || type === undefined ? undefined : { name: term.slice(PREFIX.length, end), type }
}

const bits = new DataView(new ArrayBuffer(8))

/** Writes a number as 16 hexadecimal digits. Texts of this form sort in the order of the numbers. */
export function sortableNumber(value: number): string {
  bits.setFloat64(0, value)
  const high = bits.getUint32(0)
  const low = bits.getUint32(4)
  const isNegative = high >>> 31 === 1
  // Flips all bits of a negative number and only the sign bit of another, so that the bits sort in the order of the
  // numbers.
  const sortedHigh = (isNegative ? ~high : high ^ 0x8000_0000) >>> 0
  const sortedLow = (isNegative ? ~low : low) >>> 0
  return sortedHigh.toString(16).padStart(8, '0') + sortedLow.toString(16).padStart(8, '0')
}

/** Reads a number that {@link sortableNumber} wrote. */
export function numberOfSortable(text: string): number {
  const sortedHigh = Number.parseInt(text.slice(0, 8), 16)
  const sortedLow = Number.parseInt(text.slice(8, 16), 16)
  const isNegative = sortedHigh >>> 31 === 0
  bits.setUint32(0, isNegative ? ~sortedHigh >>> 0 : (sortedHigh ^ 0x8000_0000) >>> 0)
  bits.setUint32(4, isNegative ? ~sortedLow >>> 0 : sortedLow)
  return bits.getFloat64(0)
}

/** Returns the term of one value. An instant must be a `Date`. */
export function valueTerm(name: string, value: string | number | boolean | Date): string {
  if (typeof value === 'string') return typedPrefix(name, 'keyword') + value
  if (typeof value === 'boolean') return typedPrefix(name, 'boolean') + (value ? '1' : '0')
  if (typeof value === 'number') return typedPrefix(name, 'number') + sortableNumber(value)
  return typedPrefix(name, 'instant') + sortableNumber(value.getTime())
}

/** Returns the distinct terms of the values of a page's fields. The words of texts are not among them. */
export function termsOfFields(fields: StoredFields): ReadonlySet<string> {
  const terms = new Set<string>()
  for (const [name, value] of Object.entries(fields))
    for (const one of valuesOf(value)) {
      if (typeof one !== 'object') terms.add(valueTerm(name, one))
      else terms.add('text' in one ? typedPrefix(name, 'text') : valueTerm(name, new Date(one.at)))
    }
  return terms
}
