import { ClassicLevel } from 'classic-level'
import type { FrontierDatabase } from './frontier-database.ts'

type ByteDatabase = ClassicLevel<Uint8Array, Uint8Array>

const bytes = { keyEncoding: 'view', valueEncoding: 'view' } as const
/** Number of entries that are copied in one write. */
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

/** Copies an open database as it is now, while the crawl writes to it. */
export function copyOpenDatabase(source: FrontierDatabase, target: string): Promise<void> {
  // The database was opened with JSON values, but its iterators can return bytes.
  return copyAll(source as unknown as ByteDatabase, target)
}

async function copyAll(source: ByteDatabase, target: string): Promise<void> {
  const copy: ByteDatabase = new ClassicLevel(target, bytes)
  await copy.open()
  try {
    // An iterator reads the state that the database had when the iterator was made, whatever is written later.
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
