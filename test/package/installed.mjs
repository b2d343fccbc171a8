/** The packages of an installation and their size. */
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the packages in the node_modules of a folder, as recorded by npm, without those for other platforms. */
export function installedPackages(folder) {
  const { packages } = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8'))
  return Object.keys(packages)
}

/** Returns the disk space of the files in a folder, in MB (10⁶ bytes). */
export function megabytesOf(folder) {
  let bytes = 0
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const { blocks, size } = lstatSync(join(entry.parentPath, entry.name))
    // Windows does not report blocks.
    bytes += Math.max(blocks * 512, size)
  }
  return bytes / 1e6
}
