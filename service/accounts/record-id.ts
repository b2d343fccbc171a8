import { randomBytes } from 'node:crypto'

const TIME_CHARS = 9
const RANDOM_BYTES = 5

/** Generates an id: its kind, its time of creation (so that ids sort by age), and random digits. */
export function newId(kind: 'org' | 'ws' | 'key' | 'agent' | 'grant', at: number): string {
  return `${kind}_${at.toString(36).padStart(TIME_CHARS, '0')}${randomBytes(RANDOM_BYTES).toString('hex')}`
}
