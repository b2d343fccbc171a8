import { MAX_KEYWORD_UNITS } from '../page.ts'
import { type FieldKind, RefusedValue } from './field-kind.ts'
import { nameOfEnumerated } from './schema-enumeration.ts'

export const keywordField: FieldKind<string, string> = {
  name: 'keyword',
  letter: 'k',
  forms: { value: 'a string', filter: 'a string' },
  maxUnits: MAX_KEYWORD_UNITS,
  hasBeginnings: true,
  hasWordsInValues: true,
  accept(value) {
    if (typeof value !== 'string') return undefined
    if (value.length > MAX_KEYWORD_UNITS)
      return new RefusedValue(`has ${value.length} UTF-16 units; a keyword has at most ${MAX_KEYWORD_UNITS}`)
    return value.isWellFormed() ? value : new RefusedValue('has half a surrogate pair')
  },
  store: value => value,
  isStored: stored => typeof stored === 'string',
  show: stored => stored,
  toTerm: stored => stored,
  fromTerm: term => term,
  fromText: text => text,
  // An object stays as it is, so that `add` rejects it.
  fromRecord: value => (typeof value === 'object' ? value : String(value)),
  fromPage: nameOfEnumerated,
}
