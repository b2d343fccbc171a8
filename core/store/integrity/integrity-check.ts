import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { AsofError } from '../../errors.ts'
import { type CheckDepth, checkFolder, type FolderDamage } from '../../leveldb/folder-check.ts'
import { mayHoldUnreferenced } from '../keys.ts'
import { REPAIR_HINT } from './checksum.ts'
import { diskTrouble } from './disk-trouble.ts'
import { identityOf, readVerifiedTables } from './verified-tables.ts'

/**
 * Verifies a folder before LevelDB opens it: finds damage that LevelDB would ignore, misread, or end the process for. The
 * checksums of blocks are verified only if they hold keys whose absence nothing else would reveal; other values are
 * verified when they are read.
 *
 * @throws ASOF_STORE_CORRUPT, ASOF_STORE_LOCKED
 */
export async function checkIntegrity(location: string): Promise<void> {
  const known = await readVerifiedTables(location)
  const isKnown = async (name: string): Promise<boolean> => known.get(name) === (await identityOf(join(location, name)))
  const damage = await folderDamage(location, { sums: mayHoldUnreferenced, isKnown })
  if (damage.length === 0) return
  // While another process writes, files change during the check.
  if (await isHeld(location)) throw lockedError(location)
  throw new AsofError('ASOF_STORE_CORRUPT', `${location} is damaged: ${damageText(damage)}; ${REPAIR_HINT}`)
}

/**
 * The damaged parts of a folder.
 *
 * @throws ASOF_STORE_READ - the disk cannot read it, or this user may not.
 */
export async function folderDamage(location: string, depth: CheckDepth): Promise<FolderDamage[]> {
  try {
    return await checkFolder(location, depth)
  } catch (cause) {
    throw new AsofError('ASOF_STORE_READ', `${location} can't be read: ${diskTrouble(cause)}`, { cause })
  }
}

/** Number of damaged parts that a message lists. */
const SHOWN = 3

function damageText(damage: readonly FolderDamage[]): string {
  const shown = damage.slice(0, SHOWN).map(({ file, what }) => `${file}: ${what}`)
  return [...shown, ...(damage.length > SHOWN ? [`and ${damage.length - SHOWN} more`] : [])].join('; ')
}

/** True if a process, this one or another, has the LevelDB folder open. Changes nothing in it. */
export async function isHeld(location: string): Promise<boolean> {
  const database = new ClassicLevel(location, { createIfMissing: false, errorIfExists: true, multithreading: true })
  try {
    await database.open()
  } catch (error) {
    // With these options opening always fails, but LevelDB takes the lock first, and the error says if it could not.
    const cause = error instanceof Error ? error.cause : undefined
    return cause instanceof Error && 'code' in cause && cause.code === 'LEVEL_LOCKED'
  }
  // It opened: another thread of this process has it open, and shares it.
  await database.close()
  return true
}

export function lockedError(location: string, cause?: unknown): AsofError {
  return new AsofError('ASOF_STORE_LOCKED', `${location} is in use by another process: stop that process first`, {
    cause,
  })
}
