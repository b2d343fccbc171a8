import { type FieldText, MAX_TEXT_UNITS } from '../page.ts'
import { type FieldKind, RefusedValue } from './field-kind.ts'

/** A text, which is found by its words. */
export const textField: FieldKind<FieldText, { text: string }> = {
  name: 'text',
  letter: 't',
  forms: { value: 'a text ({ $text })' },
  maxUnits: MAX_TEXT_UNITS,
  accept(value) {
    if (!isFieldText(value)) return undefined
    const { $text: given } = value
    return given.length > MAX_TEXT_UNITS
      ? new RefusedValue(`has ${given.length} UTF-16 units; a text has at most ${MAX_TEXT_UNITS}`)
      : { $text: given.toWellFormed() }
  },
  store: value => ({ text: value.$text }),
  isStored: stored => typeof stored === 'object' && 'text' in stored,
  show: stored => ({ $text: stored.text }),
  // The term without a value marks the page as having the field.
  toTerm: () => '',
  fromTerm: term => term,
  indexedText: stored => stored.text,
  // An object stays as it is, so that `add` rejects it unless it is a text.
  fromRecord: value => (typeof value === 'object' ? value : { $text: String(value) }),
  fromPage: value => ({ $text: value }),
}

/** True for a value that is a text: `{ $text }`. */
function isFieldText(value: unknown): value is FieldText {
  return (
    typeof value === 'object' &&
    value !== null &&
    '$text' in value &&
    typeof value.$text === 'string' &&
    Object.keys(value).length === 1
  )
}
