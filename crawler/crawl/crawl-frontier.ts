import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openCrawlDatabase } from '../database/crawl-database.ts'
import type { Frontier } from '../frontier/frontier.ts'
import { OpenFrontiers } from '../frontier/open-frontiers.ts'
import { PostgresFrontier } from '../frontier/postgres-frontier.ts'
import type { HostTurns } from '../politeness/host-turns.ts'
import { PostgresTurns } from '../politeness/postgres-turns.ts'
import type { CrawlOptions } from './crawl-options.ts'

/** The frontier of a crawl, and the turns of hosts if other crawlers share them. */
interface CrawlFrontier {
  frontier: Frontier
  turns?: HostTurns
  close(): Promise<void>
}

/**
 * Opens the frontier of a corpus: in the database that the options name, or else in the folder.
 *
 * @throws as {@link OpenFrontiers.open}, or as {@link openCrawlDatabase} and {@link PostgresFrontier.open} do.
 */
export async function openFrontier(
  name: string,
  { dir, frontiers = new OpenFrontiers(), database: url, leaseMs }: CrawlOptions,
): Promise<CrawlFrontier> {
  const folder = join(dir, name)
  if (url === undefined) {
    return { frontier: await frontiers.open(folder), close: () => frontiers.close(folder) }
  }
  // The journal and the list of failures stay in the folder.
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const database = await openCrawlDatabase(url)
  try {
    const frontier = await PostgresFrontier.open(database, name, leaseMs)
    frontiers.add(folder, frontier)
    const turns = new PostgresTurns(database, frontier.lease)
    const close = async () => {
      try {
        await turns.settled()
      } finally {
        await frontiers.close(folder).finally(() => database.close())
      }
    }
    return { frontier, turns, close }
  } catch (error) {
    await database.close()
    throw error
  }
}
