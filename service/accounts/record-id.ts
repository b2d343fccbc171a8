import { randomBytes } from 'node:crypto'

const TIME_CHARS = 9
const RANDOM_BYTES = 5

/** Generates an id from a kind, the time of creation and random digits. Ids of a kind sort by age. */
export function newId(kind: 'org' | 'ws' | 'key' | 'agent' | 'grant', at: number): string {
  return `${kind}_${at.toString(36).padStart(TIME_CHARS, '0')}${randomBytes(RANDOM_BYTES).toString('hex')}`
}
