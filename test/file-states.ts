import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'

/** Returns a text for each file and folder in a folder, by path, which changes with any write to it, its name, its links or its mode. */
export async function statesIn(dir: string): Promise<Record<string, string>> {
  const names = ['.', ...(await readdir(dir, { recursive: true }))].sort()
  const states = await Promise.all(
    names.map(async name => {
      const { ino, size, mode, nlink, mtimeNs, ctimeNs } = await stat(path.join(dir, name), { bigint: true })
      return [name, [ino, size, mode, nlink, mtimeNs, ctimeNs].join(' ')] as const
    }),
  )
  return Object.fromEntries(states)
}
