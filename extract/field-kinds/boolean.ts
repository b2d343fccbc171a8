import type { FieldKind } from './field-kind.ts'
import { nameOfEnumerated } from './schema-enumeration.ts'

export const booleanField: FieldKind<boolean, boolean> = {
  name: 'boolean',
  letter: 'b',
  forms: { value: 'a boolean', filter: 'a boolean' },
  isUnordered: true,
  properties: 'isAccessibleForFree isFamilyFriendly isLiveBroadcast jobImmediateStart directApply',
  accept: value => (typeof value === 'boolean' ? value : undefined),
  store: value => value,
  isStored: stored => typeof stored === 'boolean',
  show: stored => stored,
  toTerm: stored => (stored ? '1' : '0'),
  fromTerm: term => term === '1',
  fromText: text => (text === 'true' ? true : text === 'false' ? false : undefined),
  // `String` throws for an object such as `{ "toString": 1 }`.
  fromRecord: value => (typeof value === 'object' ? undefined : inRecords.get(String(value).toLowerCase())),
  fromPage: (text, given) => (typeof given === 'boolean' ? given : onPages.get(nameOfEnumerated(text).toLowerCase())),
}

const inRecords = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])
const onPages = new Map([...inRecords, ['yes', true], ['no', false]])
