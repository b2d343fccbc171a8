import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

interface Manifest {
  exports: Record<string, string | { types: string }>
  peerDependencies?: Record<string, string>
}

/**
 * Deletes the type declarations that no entry of a package leads to, because nobody can import them. In those that are left, types of
 * optional packages become `any`: only members that are not public have them, and who lacks such a package could not compile the rest.
 *
 * @param folder - of the package.json, whose entries are compiled.
 * @param output - the compiled files of the package. Its subfolder `node_modules` is left as it is.
 * @param others - subfolders that are other packages, and are left as they are too.
 */
export function removeInternalDeclarations(folder: string, output: string, others: readonly string[] = []): void {
  const { exports, peerDependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  const entries = Object.values(exports).flatMap(entry =>
    typeof entry === 'string' ? [] : resolve(folder, entry.types),
  )
  const published = declarationsFrom(entries)
  for (const path of readdirSync(output, { recursive: true, encoding: 'utf8' })) {
    const [top = ''] = path.split(/[\\/]/, 1)
    if (!path.endsWith('.d.ts') || top === 'node_modules' || others.includes(top)) continue
    const file = join(output, path)
    if (published.has(file)) writeFileSync(file, withoutTypesOf(new Set(Object.keys(peerDependencies)), file))
    else rmSync(file)
  }
}

/** The text of a declaration file with `any` for the types that it imports from some packages. */
function withoutTypesOf(packages: ReadonlySet<string>, file: string): string {
  return readFileSync(file, 'utf8').replace(/^import type \{ (.+) \} from '(.+)';$/gm, (line, names, from) =>
    packages.has(from)
      ? String(names)
          .split(', ')
          .map(name => `type ${name}<_ = any> = any;`)
          .join('\n')
      : line,
  )
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
