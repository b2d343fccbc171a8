import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AsofError } from '@asof/core'
import { copyClosedDatabase } from '../frontier/frontier-copy.ts'
import { LevelFrontier } from '../frontier/level-frontier.ts'
import type { OpenFrontiers } from '../frontier/open-frontiers.ts'
import { isJournal } from './crawl-journal.ts'

/**
 * Copies the frontiers and journals of all crawls in a folder, in their current state, but no frontier in a database. Frontiers must be copied before
 * the index. Then every page that a copied frontier calls done is in the copied index.
 *
 * @param dir - the folder of the frontiers; it need not exist.
 * @param running - the `frontiers` option of the crawls that may be running in this process. Default: no crawl is
 *   running.
 * @throws ASOF_STORE_READ - for example if a crawl that is not in `running` has its frontier open.
 */
export async function copyFrontiers(dir: string, target: string, running?: OpenFrontiers): Promise<void> {
  const entries = await readdir(dir, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  for (const entry of entries) {
    const [source, copy] = [join(dir, entry.name), join(target, entry.name)]
    if (isJournal(entry.name)) {
      await mkdir(target, { recursive: true, mode: 0o700 })
      await copyFile(source, copy)
    }
    if (!entry.isDirectory()) continue
    const frontier = running?.get(source)
    try {
      await (frontier instanceof LevelFrontier ? frontier.copyTo(copy) : copyClosedDatabase(source, copy))
    } catch (cause) {
      throw new AsofError('ASOF_STORE_READ', `the frontier ${entry.name} cannot be copied`, { cause })
    }
  }
}
