import type { Examination } from '../repair/examine.ts'
import type { RepairReport } from '../repair/repair.ts'
import { loadPart } from '../runtime/engine-part.ts'
import type { UpgradeOptions, UpgradeReport } from '../upgrade/upgrade.ts'

// Most programs never call these, so their code is loaded when they are called.

/**
 * Reads the whole index of a data folder, verifies every checksum, and checks that the values are consistent. Writes
 * nothing into the data folder, which may be read-only. LevelDB reads the index through a temporary folder, which has links to its files
 * and copies of its logs.
 *
 * @throws ASOF_STORE_LOCKED - a process has the index open.
 * @throws ASOF_STORE_FORMAT - a newer release of asof made or upgraded the index.
 * @throws ASOF_STORE_MISSING - there is no index.
 * @throws ASOF_STORE_READ - the disk cannot read the index.
 */
export async function examine(dir: string): Promise<Examination> {
  const { examineIndex: run } = await loadPart(() => import('../repair/examine.ts'))
  return await run(dir)
}

/**
 * Rebuilds the index of a data folder from the values that can be read, and replaces the old index. URLs, histories,
 * pages and instants are copied. Postings are computed again from the pages. The damaged index is kept as
 * `index.damaged-<n>`. An interrupted repair changes nothing and may be started again. A repair needs disk space for a
 * second index, and in the worst case for a third copy of the pages.
 *
 * @throws ASOF_STORE_LOCKED - a process has the index open, or opened it during the repair.
 * @throws ASOF_STORE_FORMAT - a newer release of asof made or upgraded the index.
 * @throws ASOF_STORE_MISSING - there is no index.
 * @throws ASOF_STORE_READ - the index cannot be read for a reason other than damage.
 * @throws ASOF_STORE_WRITE - there is no space for the repaired index.
 */
export async function repair(dir: string): Promise<RepairReport> {
  const { repairIndex: run } = await loadPart(() => import('../repair/repair.ts'))
  return await run(dir)
}

/**
 * Gives the index of a data folder another analyzer, in place. The index then gives the answers of one that had this analyzer
 * from the beginning. Everything else stays as it is: pages, histories, instants, aliases, relevance, vectors, and which
 * captures were declared. An interrupted upgrade loses nothing; until it is continued, the index cannot be opened. It needs
 * disk space for one more segment.
 *
 * @throws ASOF_INVALID_OPTION - this release has no such analyzer.
 * @throws ASOF_STORE_LOCKED - a process has the index open.
 * @throws ASOF_STORE_MISSING - there is no index.
 * @throws ASOF_STORE_FORMAT - a newer release of asof made or upgraded the index.
 * @throws ASOF_STORE_CORRUPT - the index is damaged: repair it first.
 * @throws ASOF_STORE_READ
 * @throws ASOF_STORE_WRITE - for example because the disk is full. The upgrade may be continued.
 */
export async function upgrade(dir: string, options?: UpgradeOptions): Promise<UpgradeReport> {
  const { upgradeIndex: run } = await loadPart(() => import('../upgrade/upgrade.ts'))
  return await run(dir, options)
}
