import type { PositionBuffer } from '../segment/positions-codec.ts'
import type { Segment } from '../segment/segment.ts'
import { ListProbe } from './list-probe.ts'

/** Positions of one term that a snippet may look at: enough to find the best passages of any page. */
const MAX_POSITIONS = 1000

const buffer: PositionBuffer = { count: 0, values: new Uint32Array(1024) }

/**
 * Where terms stand in one capture, from the stored positions.
 *
 * @param from - the first position of interest.
 * @returns ascending by position; `term` is the index in `terms`.
 */
export function matchesIn(
  segment: Segment,
  ordinal: number,
  terms: readonly string[],
  from: number,
): { position: number; term: number }[] {
  const matches: { position: number; term: number }[] = []
  terms.forEach((term, index) => {
    const found = segment.term(term)
    if (!found) return
    const at = new ListProbe(found.list).find(ordinal)
    if (at < 0) return
    const { count, values } = segment.positions(found.entry).positions(at, buffer)
    let taken = 0
    for (let i = 0; i < count && taken < MAX_POSITIONS; i++) {
      if (values[i] < from) continue
      matches.push({ position: values[i], term: index })
      taken++
    }
  })
  return matches.sort((a, b) => a.position - b.position)
}
