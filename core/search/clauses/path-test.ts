import type { UrlOf } from '../../kernels/top-hits.ts'
import { hasBit, newBits, type OrdinalBits, setBit } from '../../postings/ordinal-bits.ts'
import type { Segment } from '../../segment/segment.ts'
import { isBelowPath } from '../query/site-prefix.ts'

/** Maximum number of paths that are remembered for each segment. The least recently used one is dropped first. */
const MAX_PATHS = 8

/** What is known of a path in a segment. A URL of a capture never changes, so neither does this. */
interface KnownPath {
  /** The captures whose URLs were tested. */
  tested: OrdinalBits
  /** Of these, the captures that are below the path. */
  below: OrdinalBits
}

const known = new WeakMap<Segment, Map<string, KnownPath>>()

/** Returns a function that tests whether the URL of a capture is below a path, by ordinal. Each capture is read for it once. */
export function pathTest(segment: Segment, path: string, urlOf: UrlOf): (ordinal: number) => boolean {
  const { captureIds } = segment.columns
  const { tested, below } = knownPath(segment, path)
  return ordinal => {
    if (!hasBit(tested, ordinal)) {
      setBit(below, ordinal, isBelowPath(urlOf(captureIds[ordinal]!), path))
      setBit(tested, ordinal, true)
    }
    return hasBit(below, ordinal)
  }
}

function knownPath(segment: Segment, path: string): KnownPath {
  const paths = known.get(segment) ?? new Map<string, KnownPath>()
  known.set(segment, paths)
  const one = paths.get(path) ?? { tested: newBits(segment.captures), below: newBits(segment.captures) }
  paths.delete(path)
  paths.set(path, one)
  for (const oldest of paths.keys()) {
    if (paths.size <= MAX_PATHS) break
    paths.delete(oldest)
  }
  return one
}
