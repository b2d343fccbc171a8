import { isTombstone } from '../../segment/columns/tombstone.ts'
import type { Catalog } from './catalog.ts'

/**
 * Maximum number of captures in one group. The vectors of a group are written together, so a process that is killed loses those of one group,
 * which take a slow model seconds.
 */
const AT_ONCE = 32

/**
 * Yields the numbers of all captures that are not tombstones, newest segments first, in groups of at most
 * {@link AT_ONCE}.
 */
export function* captureGroups({ segments }: Catalog): Generator<number[], void> {
  for (const { columns } of segments) {
    const { captureIds, supersededAt } = columns
    for (let from = 0; from < captureIds.length; from += AT_ONCE) {
      const some = [...captureIds.subarray(from, from + AT_ONCE)]
      yield some.filter((_, i) => !isTombstone(supersededAt[from + i]!))
    }
  }
}
