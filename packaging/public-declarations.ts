import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

interface Manifest {
  exports: Record<string, string | { types: string }>
}

/**
 * Deletes the type declarations that no entry of a package leads to. Nobody can import them, and some need the types of
 * optional packages.
 *
 * @param folder - of the package.json, whose entries are compiled.
 * @param output - the compiled files of the package. Its subfolders `core`, if it is another package, and `node_modules` are
 *   left as they are.
 */
export function removeInternalDeclarations(folder: string, output: string): void {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  const entries = Object.values(exports).flatMap(entry =>
    typeof entry === 'string' ? [] : resolve(folder, entry.types),
  )
  const published = declarationsFrom(entries)
  for (const path of readdirSync(output, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.d.ts') || /^(core|node_modules)[\\/]/.test(path)) continue
    const file = join(output, path)
    if (!published.has(file)) rmSync(file)
  }
}

/** The declaration files that these import, directly or not, and themselves. */
function declarationsFrom(entries: readonly string[]): Set<string> {
  const found = new Set(entries)
  // A set yields what is added to it meanwhile.
  for (const file of found) {
    const text = readFileSync(file, 'utf8')
    for (const [, path = ''] of text.matchAll(/(?:from|import) ?\(?['"](\.[^'"]+)\.[jt]s['"]/g))
      found.add(resolve(dirname(file), `${path}.d.ts`))
  }
  return found
}
