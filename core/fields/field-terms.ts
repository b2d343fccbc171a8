import { allKinds, type FieldKind, fieldKinds, kindOfStored, type StoredValue } from '@asof/extract/field-kinds'
import type { FieldType } from '@asof/extract/page'
import { type StoredFields, valuesOf } from './field-values.ts'

/**
 * The prefix of index terms that are made from fields. A page whose field `color` is `red` is indexed under the term
 * `:.color=kred`: prefix, name, a letter for the type, value. Words of a text never begin with a colon. The terms of a
 * field sort in the order of its values. A page with a text in the field has the term without a value, and a term for each word of the
 * text, with positions: `:.summary=t` and `:.summary=tlamp`.
 */
const PREFIX = ':.'

const kindOfLetter: ReadonlyMap<string | undefined, FieldKind> = new Map(allKinds.map(kind => [kind.letter, kind]))

/** Returns the prefix of the terms of all fields, or of one field. */
export function fieldsPrefix(name?: string): string {
  return name === undefined ? PREFIX : `${PREFIX}${name}=`
}

/** Returns the prefix of the terms of a field with values of one type. */
export function typedPrefix(name: string, type: FieldType): string {
  return `${PREFIX}${name}=${fieldKinds[type].letter}`
}

/** Returns the prefix of the terms of the words of a field with texts. */
export function wordsPrefix(name: string): string {
  return typedPrefix(name, 'text')
}

/** Returns the word of a term. A term from a text of a field is returned without its prefix, any other term as it is. */
export function wordOfTerm(term: string): string {
  if (!term.startsWith(PREFIX)) return term
  const value = term.indexOf('=') + 1
  return term[value] === fieldKinds.text.letter ? term.slice(value + 1) : term
}

/** Returns the field and the type of an index term; undefined if the term was not made from a field. */
export function fieldOfTerm(term: string): { name: string; type: FieldType } | undefined {
  if (!term.startsWith(PREFIX)) return undefined
  const end = term.indexOf('=')
  const kind = kindOfLetter.get(term[end + 1])
  return end < 0 || kind === undefined ? undefined : { name: term.slice(PREFIX.length, end), type: kind.name }
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

/** Returns the term of one value. */
export function valueTerm(name: string, kind: FieldKind, value: StoredValue): string {
  const own = kind.toTerm(value)
  return typedPrefix(name, kind.name) + (typeof own === 'number' ? sortableNumber(own) : own)
}

/** Returns the distinct terms of the values of a page's fields. The words of texts are not among them. */
export function termsOfFields(fields: StoredFields): ReadonlySet<string> {
  const terms = new Set<string>()
  for (const [name, value] of Object.entries(fields))
    for (const one of valuesOf(value)) terms.add(valueTerm(name, kindOfStored(one), one))
  return terms
}
