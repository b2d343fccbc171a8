import { type Catalog, isTombstone } from '../store/snapshots/catalog.ts'

/** What the captures, revisions and removals of one instant add to the statistics of the index. In a change: the difference. */
export interface InstantStatistics {
  captures: number
  /** Sum of the weighted lengths. */
  length: number
  /** Number of captures, revisions and removals whose instant was declared by the caller. */
  declared: number
  /** Number of URLs whose first capture was acquired at the instant. */
  urls: number
}

const noStatistics: InstantStatistics = { captures: 0, length: 0, declared: 0, urls: 0 }

/**
 * Returns for each instant what its captures, revisions and removals add to the statistics.
 *
 * @param firstInstants - the instants of the first captures of the URLs that may change.
 */
export function statisticsOf({ segments }: Catalog, firstInstants: readonly number[]): Map<number, InstantStatistics> {
  const byInstant = new Map<number, InstantStatistics>()
  const add = (at: number, { captures = 0, length = 0, declared = 0, urls = 0 }: Partial<InstantStatistics>): void => {
    const sum = byInstant.get(at) ?? noStatistics
    byInstant.set(at, {
      captures: sum.captures + captures,
      length: sum.length + length,
      declared: sum.declared + declared,
      urls: sum.urls + urls,
    })
  }
  for (const at of firstInstants) add(at, { urls: 1 })
  for (const { columns, revisions, removals } of segments) {
    const { acquiredAt, supersededAt, lengths, declared } = columns
    for (let i = 0; i < acquiredAt.length; i++)
      if (!isTombstone(supersededAt[i]!))
        add(acquiredAt[i]!, { captures: 1, length: lengths[i]!, declared: declared[i]! })
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
    const [now, then] = [after.get(at) ?? noStatistics, before.get(at) ?? noStatistics]
    const change = {
      captures: now.captures - then.captures,
      length: now.length - then.length,
      declared: now.declared - then.declared,
      urls: now.urls - then.urls,
    }
    if (Object.values(change).some(value => value !== 0)) changed.set(at, change)
  }
  return changed
}
