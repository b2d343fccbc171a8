import { Damage, LevelReader } from './level-reader.ts'
import { readLog } from './log-file.ts'

/** A table file that is part of the database. */
export interface LiveTable {
  number: number
  bytes: number
  level: number
  /** The smallest and greatest internal key. An internal key is the caller's key with its sequence number and type. */
  smallest: Uint8Array
  largest: Uint8Array
}

/** The contents of a `MANIFEST-…` file, which is LevelDB's descriptor of the database. */
export interface Descriptor {
  tables: Map<number, LiveTable>
  /**
   * Logs with this number or a higher one contain writes that are in no table yet. 0 if the descriptor has no such
   * number.
   */
  logNumber: number
}

const Tag = {
  comparator: 1,
  logNumber: 2,
  nextFile: 3,
  lastSequence: 4,
  compactPointer: 5,
  deletedFile: 6,
  newFile: 7,
  previousLog: 9,
} as const

/** Size of the sequence number and type at the end of an internal key. */
export const TRAILER_BYTES = 8

/**
 * Reads a descriptor.
 *
 * @throws Damage - the file is not a valid descriptor.
 */
export function readDescriptor(bytes: Uint8Array): Descriptor {
  const { records, damagedAt } = readLog(bytes)
  if (damagedAt !== undefined) throw new Damage(`a record at byte ${damagedAt} is damaged`)
  if (records.length === 0) throw new Damage('it holds no record')
  const descriptor: Descriptor = { tables: new Map(), logNumber: 0 }
  for (const record of records) apply(record, descriptor)
  return descriptor
}

function apply(record: Uint8Array, descriptor: Descriptor): void {
  const fields = new LevelReader(record)
  while (!fields.done) {
    const tag = fields.varint()
    if (tag === Tag.comparator) fields.sized()
    else if (tag === Tag.logNumber) descriptor.logNumber = fields.varint()
    else if (tag === Tag.nextFile || tag === Tag.lastSequence || tag === Tag.previousLog) fields.varint()
    else if (tag === Tag.compactPointer) {
      fields.varint()
      fields.sized()
    } else if (tag === Tag.deletedFile) {
      const level = fields.varint()
      const number = fields.varint()
      // A record that moves a table to another level also deletes it from the old level. The deletion comes first, so a
      // table at another level must stay.
      if (descriptor.tables.get(number)?.level === level) descriptor.tables.delete(number)
    } else if (tag === Tag.newFile) {
      const level = fields.varint()
      const number = fields.varint()
      const bytes = fields.varint()
      const smallest = internalKey(fields)
      descriptor.tables.set(number, { number, bytes, level, smallest, largest: internalKey(fields) })
    } else throw new Damage(`it has a field of the unknown kind ${tag}`)
  }
}

function internalKey(fields: LevelReader): Uint8Array {
  const key = fields.sized()
  if (key.length <= TRAILER_BYTES) throw new Damage('a key is too short')
  return key
}
