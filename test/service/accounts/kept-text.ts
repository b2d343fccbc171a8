import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { ClassicLevel } from 'classic-level'

/**
 * Returns everything on disk of closed accounts: the raw files, which include overwritten data, and all keys
 * and values, which may be compressed in the files.
 */
export async function keptText(dir: string): Promise<string> {
  const files = await Promise.all((await readdir(dir)).map(name => readFile(path.join(dir, name), 'latin1')))
  const database = new ClassicLevel(dir)
  try {
    return [...files, ...(await database.iterator().all()).flat()].join('\n')
  } finally {
    await database.close()
  }
}
