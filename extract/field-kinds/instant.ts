import { readEpoch } from '../written-dates/epoch.ts'
import { EARLIEST_AT, LATEST_AT, readInstant } from '../written-dates/timestamp.ts'
import { type FieldKind, NoValue } from './field-kind.ts'

/** A `Date`. It is stored as `{ at }`, epoch ms. */
export const instantField: FieldKind<Date, { at: number }> = {
  name: 'instant',
  letter: 'i',
  forms: { value: 'a Date ({ $date } in JSON)', filter: 'a valid Date ({ $date } in JSON)' },
  scale: 'time',
  properties: `
    availabilityEnds availabilityStarts birthDate commentTime dateCreated dateDeleted dateIssued dateModified datePosted datePublished
    dateRead dateReceived dateSent deathDate doorTime endDate expires foundingDate lastReviewed priceValidUntil releaseDate startDate
    uploadDate validFrom validThrough validUntil`,
  accept(value) {
    if (!(value instanceof Date)) return undefined
    return Number.isNaN(value.getTime()) ? new NoValue('is an invalid Date') : value
  },
  store: value => ({ at: value.getTime() }),
  isStored: stored => typeof stored === 'object' && 'at' in stored,
  show: stored => new Date(stored.at),
  toTerm: stored => stored.at,
  fromTerm: term => new Date(term).toISOString(),
  fromRecord(value) {
    const at = typeof value === 'string' ? timeIn(value.trim()) : value
    if (typeof at !== 'number' || !(at >= EARLIEST_AT && at <= LATEST_AT)) return undefined
    return { $date: new Date(Math.floor(at)).toISOString() }
  },
  fromPage(text, _given, dateIn) {
    const at = exactly(text) ?? exactly(dateIn(text) ?? '')
    return at === undefined ? undefined : new Date(at)
  },
}

/** Reads a time of a record: ISO 8601, or a Unix epoch. */
function timeIn(text: string): number | undefined {
  const epoch = readEpoch(text)
  return epoch === undefined ? exactly(text) : typeof epoch === 'number' ? epoch : undefined
}

function exactly(text: string): number | undefined {
  const at = readInstant(text, 'start')
  return typeof at === 'number' ? at : undefined
}
