import { isTombstone } from '../segment/columns/tombstone.ts'
import type { Catalog } from '../store/snapshots/catalog.ts'

/**
 * What one instant adds to the statistics of the index. The sums over all instants up to T are the statistics as of T. In a change: the
 * difference.
 */
export interface InstantStatistics {
  /** Number of captures that were acquired at the instant. */
  captures: number
  /** The same number, less that of the captures that were superseded at the instant. */
  standing: number
  /** Sum of the weighted lengths of the captures acquired at the instant, less that of those superseded then. */
  standingLength: number
  /** Number of captures, revisions and removals whose instant was declared by the caller. */
  declared: number
  /** Number of URLs whose first capture was acquired at the instant. */
  urls: number
}

const noStatistics: InstantStatistics = { captures: 0, standing: 0, standingLength: 0, declared: 0, urls: 0 }

/**
 * Returns for each instant what it adds to the statistics. A capture adds to its `acquiredAt` and takes away at its `supersededAt`.
 *
 * @param firstInstants - the instants of the first captures of the URLs that may change.
 */
export function statisticsOf({ segments }: Catalog, firstInstants: readonly number[]): Map<number, InstantStatistics> {
  const byInstant = new Map<number, InstantStatistics>()
  const add = (at: number, change: Partial<InstantStatistics>): void => {
    byInstant.set(at, combined(byInstant.get(at) ?? noStatistics, { ...noStatistics, ...change }, 1))
  }
  for (const at of firstInstants) add(at, { urls: 1 })
  for (const { columns, revisions, removals } of segments) {
    const { acquiredAt, supersededAt, lengths, declared } = columns
    for (const [ordinal, endsAt] of supersededAt.entries()) {
      if (isTombstone(endsAt)) continue
      const length = lengths[ordinal]!
      add(acquiredAt[ordinal]!, { captures: 1, standing: 1, standingLength: length, declared: declared[ordinal]! })
      if (endsAt < Number.POSITIVE_INFINITY) add(endsAt, { standing: -1, standingLength: -length })
    }
    for (const rows of revisions?.byOrdinal().values() ?? [])
      for (const row of rows) if (row.declared) add(row.at, { declared: 1 })
    for (const at of removals?.byOrdinal.values() ?? []) add(at, { declared: 1 })
  }
  return byInstant
}

/** Returns for each instant how much its statistics changed. Instants without a change are left out. */
export function changedStatistics(
  after: ReadonlyMap<number, InstantStatistics>,
  before: ReadonlyMap<number, InstantStatistics>,
): Map<number, InstantStatistics> {
  const changed = new Map<number, InstantStatistics>()
  for (const at of new Set([...after.keys(), ...before.keys()])) {
    const change = combined(after.get(at) ?? noStatistics, before.get(at) ?? noStatistics, -1)
    if (Object.values(change).some(value => value !== 0)) changed.set(at, change)
  }
  return changed
}

/** Adds statistics to others, or takes them away. */
function combined(one: InstantStatistics, other: InstantStatistics, sign: 1 | -1): InstantStatistics {
  return {
    captures: one.captures + sign * other.captures,
    standing: one.standing + sign * other.standing,
    standingLength: one.standingLength + sign * other.standingLength,
    declared: one.declared + sign * other.declared,
    urls: one.urls + sign * other.urls,
  }
}
