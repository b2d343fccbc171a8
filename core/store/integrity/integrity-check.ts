import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AsofError, causeOf, codeOf } from '@asof/extract/errors'
import { ClassicLevel } from 'classic-level'
import { type CheckDepth, checkFolder, type FolderDamage, filesOf } from '../../leveldb/folder-check.ts'
import { lockedError } from '../folder-lock.ts'
import { mayHoldUnreferenced } from '../keys.ts'
import { REPAIR_HINT } from './checksum.ts'
import { diskTrouble } from './disk-trouble.ts'
import { fileIdentityOf, readVerifiedTables } from './verified-tables.ts'

/**
 * Verifies a folder before LevelDB opens it. Finds damage that LevelDB would ignore or misread, or that would end the
 * process. The loss of a value to which no other value refers would go unnoticed, so the checksums of blocks with such
 * values are verified too. Other values are verified when they are read.
 *
 * @throws ASOF_STORE_CORRUPT, ASOF_STORE_LOCKED
 */
export async function checkIntegrity(location: string): Promise<void> {
  const known = await readVerifiedTables(location)
  const isKnown = async (name: string): Promise<boolean> =>
    known.get(name) === (await fileIdentityOf(join(location, name)))
  const damage = await folderDamage(location, { sums: mayHoldUnreferenced, isKnown })
  if (damage.length === 0) return
  // If another process writes, files change during the check and seem damaged.
  if (await isHeld(location)) throw lockedError(location)
  throw new AsofError('ASOF_STORE_CORRUPT', `${location} is damaged: ${damageText(damage)}; ${REPAIR_HINT}`)
}

/**
 * Returns the damaged parts of a folder.
 *
 * @throws ASOF_STORE_READ - the disk cannot read the folder, or this user may not.
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
  if (damage.length > SHOWN) shown.push(`and ${damage.length - SHOWN} more`)
  return shown.join('; ')
}

/** True if a folder contains a LevelDB database. */
export async function hasDatabase(location: string): Promise<boolean> {
  return (await filesOf(location)).current
}

/** True if any process has the LevelDB folder open. Changes only LevelDB's message log. */
export async function isHeld(location: string): Promise<boolean> {
  // Every process that opens the folder creates this file. Without the file, opening would create it.
  if (!(await readdir(location)).includes('LOCK')) return false
  const database = new ClassicLevel(location, { createIfMissing: false, errorIfExists: true, multithreading: true })
  try {
    await database.open()
  } catch (error) {
    // With these options opening always fails. LevelDB takes the lock first, so the error shows whether another process
    // has it.
    const cause = causeOf(error)
    return codeOf(cause) === 'LEVEL_LOCKED'
  }
  // Opening can only succeed if another thread of this process has the folder open.
  await database.close()
  return true
}
