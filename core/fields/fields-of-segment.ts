import { BLOCK } from '../bytes/bit-packing.ts'
import { lowerBound, type PostingList } from '../segment/postings/posting-list.ts'
import type { Segment } from '../segment/segment.ts'
import { fieldOfTerm, fieldsPrefix } from './field-terms.ts'
import type { FieldType } from './field-values.ts'

/** The names of the fields of the captures of a segment, also of purged and expired ones, without those of revisions. */
export function* fieldNames({ dictionary }: Segment): Generator<string> {
  for (let from = fieldsPrefix(); ; ) {
    const { value: entry } = dictionary.entries(from).next()
    const field = entry === undefined ? undefined : fieldOfTerm(entry.term)
    if (!field) return
    yield field.name
    // The next field begins behind all terms of this one: '>' is the character after '='.
    from = `${fieldsPrefix()}${field.name}>`
  }
}

/** For each term of a field, in ascending order, its type and its first capture that is not a tombstone; −1 if there is none. */
export function* firstTerms(segment: Segment, name: string): Generator<{ type: FieldType; ordinal: number }> {
  const prefix = fieldsPrefix(name)
  for (const entry of segment.dictionary.entries(prefix)) {
    const type = entry.term.startsWith(prefix) ? fieldOfTerm(entry.term)?.type : undefined
    if (!type) return
    yield { type, ordinal: firstLive(segment.list(entry), segment.tombstones) }
  }
}

const ordinals = new Uint32Array(BLOCK)

/** The first ordinal of a list that is not a tombstone; −1 if there is none. */
function firstLive(list: PostingList, tombstones: Uint32Array): number {
  for (let block = 0; block < list.blocks; block++) {
    const size = list.ordinals(block, ordinals)
    for (let i = 0; i < size; i++) {
      const at = lowerBound(tombstones, tombstones.length, ordinals[i]!)
      if (tombstones[at] !== ordinals[i]) return ordinals[i]!
    }
  }
  return -1
}
