/** What an installation brought, and how large it is. */
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The packages in a folder's node_modules, as npm recorded them; those for other platforms are not installed. */
export function installedPackages(folder) {
  const { packages } = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8'))
  return Object.keys(packages)
}

/** Room on disk of the files in a folder, in MB (10⁶ bytes). */
export function megabytesOf(folder) {
  let bytes = 0
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const { blocks, size } = lstatSync(join(entry.parentPath, entry.name))
    // Windows has no blocks.
    bytes += Math.max(blocks * 512, size)
  }
  return bytes / 1e6
}
