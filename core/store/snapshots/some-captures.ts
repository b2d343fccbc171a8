import { type Catalog, isTombstone } from './catalog.ts'

/** Captures that are looked at together. */
const AT_ONCE = 128

/** The captures of an index, newest segments first, some at a time; purged ones and those that retention let go left out. */
export function* someCaptures({ segments }: Catalog): Generator<number[], void> {
  for (const { columns } of segments) {
    const { captureIds, supersededAt } = columns
    for (let from = 0; from < captureIds.length; from += AT_ONCE) {
      const some = [...captureIds.subarray(from, from + AT_ONCE)]
      yield some.filter((_, i) => !isTombstone(supersededAt[from + i]!))
    }
  }
}
