import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AsofError } from '@asof/core'
import { ClassicLevel } from 'classic-level'
import { openFrontiers } from '../frontier/frontier-database.ts'
import { isJournal } from './crawl-journal.ts'

type Bytes = ClassicLevel<Uint8Array, Uint8Array>

const bytes = { keyEncoding: 'view', valueEncoding: 'view' } as const
/** Entries copied at a time. */
const BATCH = 1000

/**
 * Copies the frontiers of all crawls, one subfolder each, those of running crawls as of now, and their journals. What a crawl does
 * afterwards it does again when it goes on from the copy, so copy them before the index.
 *
 * @param dir - need not exist.
 * @throws ASOF_STORE_READ
 */
export async function copyFrontiers(dir: string, target: string): Promise<void> {
  const entries = await readdir(dir, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  for (const entry of entries) {
    if (isJournal(entry.name)) {
      await mkdir(target, { recursive: true, mode: 0o700 })
      await copyFile(join(dir, entry.name), join(target, entry.name))
    }
    if (!entry.isDirectory()) continue
    try {
      await copyFrontier(join(dir, entry.name), join(target, entry.name))
    } catch (cause) {
      throw new AsofError('ASOF_STORE_READ', `the frontier ${entry.name} can't be copied`, { cause })
    }
  }
}

async function copyFrontier(dir: string, target: string): Promise<void> {
  const running = openFrontiers.get(dir)
  // Opened with values as JSON; asked for bytes, it gives and takes these.
  if (running) return await copyAll(running as unknown as Bytes, target)
  const source: Bytes = new ClassicLevel(dir, { ...bytes, createIfMissing: false })
  await source.open()
  try {
    await copyAll(source, target)
  } finally {
    await source.close()
  }
}

async function copyAll(source: Bytes, target: string): Promise<void> {
  const made: Bytes = new ClassicLevel(target, bytes)
  await made.open()
  try {
    // An iterator sees one state of the database, whatever is written meanwhile.
    const iterator = source.iterator(bytes)
    try {
      for (let entries = await iterator.nextv(BATCH); entries.length > 0; entries = await iterator.nextv(BATCH))
        await made.batch(entries.map(([key, value]) => ({ type: 'put', key, value })))
    } finally {
      await iterator.close()
    }
  } finally {
    await made.close()
  }
}
