import { ClassicLevel } from 'classic-level'
import type { FrontierDatabase } from './frontier-database.ts'

type ByteDatabase = ClassicLevel<Uint8Array, Uint8Array>

const bytes = { keyEncoding: 'view', valueEncoding: 'view' } as const
/** Entries copied at a time. */
const BATCH = 1000

/** Copies the database of a frontier that nobody has open. */
export async function copyClosedDatabase(dir: string, target: string): Promise<void> {
  const source: ByteDatabase = new ClassicLevel(dir, { ...bytes, createIfMissing: false })
  await source.open()
  try {
    await copyAll(source, target)
  } finally {
    await source.close()
  }
}

/** Copies an open database as of now, while it is written to. */
export function copyOpenDatabase(source: FrontierDatabase, target: string): Promise<void> {
  // It was opened with values as JSON, but its iterators can be asked for bytes.
  return copyAll(source as unknown as ByteDatabase, target)
}

async function copyAll(source: ByteDatabase, target: string): Promise<void> {
  const copy: ByteDatabase = new ClassicLevel(target, bytes)
  await copy.open()
  try {
    // An iterator sees one state of the database, whatever is written meanwhile.
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
