import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AsofError, type BackupOptions, type BackupReport } from '@asof/core'
import { intoNewFolder } from '@asof/core/internal'
import type { ClusterDatabase } from '../stored/database.ts'
import { copyIntoFolder } from './moving.ts'

/**
 * Copies the index of a cluster, as it is now, to a new data folder.
 *
 * @param instant - the instant of the backup, epoch ms. The caller makes sure that later changes are stamped after it.
 * @throws ASOF_BACKUP_TARGET, ASOF_STORE_READ, ASOF_STORE_WRITE
 * @throws ASOF_CLOSED - the signal aborted the backup.
 */
export function backUp(
  dir: string,
  database: ClusterDatabase,
  { instant, beside, onProgress, signal }: BackupOptions & { instant: number },
): Promise<BackupReport> {
  return intoNewFolder(dir, [], async partial => {
    await beside?.(partial)
    const { captures, urls, finished } = await copyIntoFolder(partial, database, { signal, onBytes: onProgress })
    if (!finished) throw new AsofError('ASOF_CLOSED', 'the backup was stopped')
    return { instant, captures, urls, bytes: await bytesIn(join(partial, 'index')) }
  })
}

async function bytesIn(folder: string): Promise<number> {
  const files = await readdir(folder)
  const sizes = await Promise.all(files.map(async file => (await stat(join(folder, file))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}
