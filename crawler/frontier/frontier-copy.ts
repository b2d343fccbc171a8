import { ClassicLevel } from 'classic-level'
import type { FrontierDatabase } from './frontier-database.ts'

type ByteDatabase = ClassicLevel<Uint8Array, Uint8Array>

const bytes = { keyEncoding: 'view', valueEncoding: 'view' } as const
/** Number of entries copied in one write. */
const BATCH = 1000

/** Copies the database of a frontier that no process has open. */
export async function copyClosedDatabase(dir: string, target: string): Promise<void> {
  const source: ByteDatabase = new ClassicLevel(dir, { ...bytes, createIfMissing: false })
  await source.open()
  try {
    await copyAll(source, target)
  } finally {
    await source.close()
  }
}

/** Copies the current state of an open database, while the crawl continues to write to it. */
export function copyOpenDatabase(source: FrontierDatabase, target: string): Promise<void> {
  // The database has JSON values, but iterators can be asked for bytes.
  return copyAll(source as unknown as ByteDatabase, target)
}

async function copyAll(source: ByteDatabase, target: string): Promise<void> {
  const copy: ByteDatabase = new ClassicLevel(target, bytes)
  await copy.open()
  try {
    // An iterator reads the state of the database at its creation. Later writes have no effect.
    const iterator = source.iterator(bytes)
    try {
      for (let entries = await iterator.nextv(BATCH); entries.length > 0; entries = await iterator.nextv(BATCH))
        await copy.batch(entries.map(([key, value]) => ({ type: 'put', key, value })))
    } finally {
      await iterator.close()
    }
  } finally {
    await copy.close()
  }
}
