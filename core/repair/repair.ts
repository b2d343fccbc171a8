import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isAsofError } from '@asof/extract/errors'
import type { FolderDamage } from '../leveldb/folder-check.ts'
import { failpoint } from '../store/failpoint.ts'
import { lockedError } from '../store/folder-lock.ts'
import { FolderStore } from '../store/folder-store.ts'
import { decodeIdentity, type Identity, newIdentity } from '../store/identity.ts'
import { CommitWatermark } from '../store/integrity/commit-watermark.ts'
import { isHeld } from '../store/integrity/integrity-check.ts'
import { fileIdentityOf } from '../store/integrity/verified-tables.ts'
import { identityKey, manifestKey } from '../store/keys.ts'
import { decodeManifest, type Manifest } from '../store/manifest.ts'
import type { Store } from '../store/store.ts'
import { knownCaptures } from './capture-facts.ts'
import { clearWork, expectIndex, expectPath, finishSwap, indexFolderOf, swapIn, workOf } from './index-folder.ts'
import { rebuild } from './rebuild.ts'
import { saveValues } from './saved-values.ts'
import { findSurvivors, type LostCapture } from './survivors.ts'

/** The result of a repair. */
export interface RepairReport {
  /** Number of captures in the repaired index. */
  captures: number
  urls: number
  /** Captures that could not be saved, if other values mention them. */
  lost: LostCapture[]
  /** Number of captures whose publish date may be lost. */
  datesLost: number
  /** Number of URLs whose history was reconstructed from their captures, possibly without sightings and removals. */
  historiesPatched: number
  /**
   * Number of revisions whose metadata (date, author, structured data, …) are lost. Their pages have the earlier
   * metadata instead.
   */
  revisionsLost: number
  /** Parts of files that could not be read. */
  damage: FolderDamage[]
  /** Path of the damaged index, which is kept as a backup. */
  damagedIndex: string
}

const CACHE_BYTES = 8 * 1024 * 1024

/** Repairs the index of a data folder, see `repair` in `core/engine/maintenance.ts`. */
export async function repairIndex(dir: string): Promise<RepairReport> {
  expectPath(dir)
  await finishSwap(dir)
  await expectIndex(dir)
  const location = indexFolderOf(dir)
  if (await isHeld(location)) throw lockedError(location)
  const before = await fileTimes(location)
  await clearWork(dir)
  const { saved, fresh } = workOf(dir)
  const damage: FolderDamage[] = []
  const store = await FolderStore.open(saved, { cacheBytes: CACHE_BYTES })
  let report: Omit<RepairReport, 'damagedIndex'>
  try {
    await saveValues(location, store, found => damage.push(found))
    failpoint('repair-1-saved')
    report = { ...(await rebuildFolder(location, store, fresh)), damage }
    failpoint('repair-2-rebuilt')
  } finally {
    await store.close()
  }
  // A damaged database cannot be opened and therefore not be locked. So this checks at the end whether another process
  // used the folder.
  if ((await isHeld(location)) || (await fileTimes(location)) !== before) throw lockedError(location)
  await rm(saved, { recursive: true })
  const damagedIndex = await swapIn(dir)
  return { ...report, damagedIndex }
}

async function rebuildFolder(
  location: string,
  store: Store,
  fresh: string,
): Promise<Omit<RepairReport, 'damagedIndex' | 'damage'>> {
  const identity = recoverIdentity(store)
  const manifest = recoverManifest(store)
  const known = await knownCaptures(store, manifest)
  const { facts } = known
  const { histories, lost, patched, revisionsLost } = await findSurvivors(store, known)
  const acknowledgedGeneration = new CommitWatermark(location).generation
  const target = await FolderStore.open(fresh, { cacheBytes: CACHE_BYTES })
  try {
    const { generation } = await rebuild(
      { store, identity, manifest, histories, facts, acknowledgedGeneration },
      target,
    )
    target.acknowledge(generation)
  } finally {
    await target.close()
  }
  let captures = 0
  let datesLost = 0
  for (const history of histories.values())
    for (const { captureId } of history.captures) {
      captures++
      if (!facts.get(captureId)?.datesKnown) datesLost++
    }
  const urls = [...histories.values()].filter(history => history.captures.length > 0).length
  return { captures, urls, lost, datesLost, historiesPatched: patched, revisionsLost }
}

/**
 * Reads the identity. If it is lost, the rebuilt index gets that of a new index. All terms are computed again, so an interrupted upgrade
 * is forgotten.
 */
function recoverIdentity(store: Store): Identity {
  const bytes = store.get(identityKey)
  if (!bytes) return newIdentity()
  const { upgrade: _, ...identity } = decodeIdentity(bytes)
  return identity
}

/** Reads the manifest. Returns undefined if it is missing or damaged. */
function recoverManifest(store: Store): Manifest | undefined {
  const bytes = store.get(manifestKey)
  try {
    return bytes && decodeManifest(bytes)
  } catch (error) {
    // A damaged manifest is as good as none, because its contents can be computed from other values.
    if (isAsofError(error, 'ASOF_STORE_CORRUPT')) return undefined
    throw error
  }
}

/** Returns the identities of all files in a folder, except LevelDB's message log and lock. */
async function fileTimes(location: string): Promise<string> {
  const files = (await readdir(location)).filter(name => !/^LOG|^LOCK$/.test(name)).sort()
  const lines: string[] = []
  for (const name of files) lines.push(`${name} ${await fileIdentityOf(join(location, name))}`)
  return lines.join('\n')
}
