import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { ClassicLevel } from 'classic-level'

/**
 * What is on disk of accounts that nobody has open: the files as they are, with what was overwritten since, and all keys
 * and values, which the files may have compressed.
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
