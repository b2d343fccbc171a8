import { AsofError } from '@asof/extract/errors'
import { ByteWriter } from '../bytes/byte-buffer.ts'
import { STANDING_STORED_FROM } from '../segment/dictionary/dictionary-format.ts'
import { decodePositions } from '../segment/positions/positions-codec.ts'
import { PostingCache } from '../segment/posting-cache.ts'
import { Segment } from '../segment/segment.ts'
import type { SegmentInfo } from '../segment/segment-writer.ts'
import { EndOrder } from '../segment/standing/end-order.ts'
import { StandingWriter } from '../segment/standing/standing-writer.ts'
import { readRange, Stream } from '../segment/streams.ts'
import type { StoredValues } from '../store/store-reader.ts'

const none = new Uint8Array(0)

/**
 * Opens a segment and reads all of it.
 *
 * @throws ASOF_STORE_CORRUPT - a part is missing, or contradicts another part.
 */
export function examineSegment(info: SegmentInfo, store: StoredValues): Segment {
  const chunks = store.chunks(info.id)
  const segment = Segment.open(info, chunks, new PostingCache(0))
  const fail = (what: string): never => {
    throw new AsofError('ASOF_STORE_CORRUPT', `segment ${info.id}: ${what}`)
  }
  const { acquiredAt, supersededAt, lengths } = segment.columns
  if (acquiredAt.some((at, ordinal) => ordinal > 0 && at < acquiredAt[ordinal - 1]!))
    fail('its captures are out of order')
  if (lengths.reduce((total, length) => total + length, 0) !== info.totalLength) fail('its lengths do not add up')
  const ends = EndOrder.of(supersededAt, lengths)
  const standing = ends && new StandingWriter(acquiredAt, ends)
  const list = new ByteWriter()
  const out = { count: 0, values: new Uint32Array(64) }
  let terms = 0
  let previous = ''
  for (const entry of segment.dictionary.entries()) {
    if (terms++ > 0 && entry.term <= previous) fail('its terms are out of order')
    previous = entry.term
    if (!segment.dictionary.mayHold(entry.term)) fail(`the filter of its terms leaves out "${entry.term}"`)
    const { count, ordinals, positionLengths, positions } = segment.postings(entry)
    let read = 0
    for (let i = 0; i < count; i++) {
      if (ordinals[i]! >= info.captures || (i > 0 && ordinals[i]! <= ordinals[i - 1]!))
        fail(`a posting of "${entry.term}" refers to a missing capture`)
      const end = read + positionLengths[i]!
      // The first byte is the next-word signature.
      if (read < end) decodePositions(positions, out, read + 1, end)
      read = end
    }
    list.clear()
    const ended = standing && count >= STANDING_STORED_FROM ? standing.write(ordinals, count, list) : 0
    const stored = entry.ended > 0 ? readRange(chunks, Stream.standing, entry.standingAt, entry.standingBytes) : none
    if (ended !== entry.ended || Buffer.compare(list.finish(), stored) !== 0)
      fail(`the standing list of "${entry.term}" is not that of its captures`)
  }
  if (terms !== info.terms) fail(`it has ${terms} terms; the manifest counts ${info.terms}`)
  return segment
}
