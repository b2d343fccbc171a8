import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

interface Manifest {
  exports: Record<string, string>
  devDependencies?: Record<string, string>
  [field: string]: unknown
}

/** The entry of `exports` for a source file such as `./index.ts`, once it is compiled. */
function compiledEntry(source: string): string | { types: string; default: string } {
  if (!source.endsWith('.ts')) return source
  const path = source.slice(0, -'.ts'.length)
  return { types: `${path}.d.ts`, default: `${path}.js` }
}

/** The folders that are packages of their own, `@asof/…`, with their dependencies first. */
export const packages = ['extract', 'core'] as const

/**
 * The package.json of such a folder as it is published: its entries are compiled files, it is no longer private, and it needs the same
 * Node.js as asof. In the sources it needs none, because a clone may be installed by an older one.
 */
export function publishedManifest(sources: Manifest, engines: Record<string, string>): Manifest {
  const { private: _private, devDependencies: _development, exports, ...rest } = sources
  const entries = Object.entries(exports).map(([name, source]) => [name, compiledEntry(source)])
  return { ...rest, engines, exports: Object.fromEntries(entries) }
}

/**
 * Makes the folders with compiled sources packages, so that compiled code that imports `@asof/core` or `@asof/extract` loads them.
 *
 * @param output - where the compiler wrote: it holds these folders, and what imports the packages.
 */
export function makePackages(output: string): void {
  const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))
  const { engines } = read('package.json') as { engines: Record<string, string> }
  const links = join(output, 'node_modules/@asof')
  mkdirSync(links, { recursive: true })
  for (const name of packages) {
    const manifest = publishedManifest(read(`${name}/package.json`) as Manifest, engines)
    writeFileSync(join(output, name, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    rmSync(join(links, name), { force: true })
    symlinkSync(join(output, name), join(links, name), 'junction')
  }
}

/**
 * Copies the parts of eld that core/text/languages/table/package-module.ts loads into a compiled core: 1 of 9 MB. A dependency on
 * eld would install four models, and one is used.
 */
export function copyLanguageModel(core: string): void {
  const from = join(root, 'node_modules/eld')
  const to = join(core, 'text/languages/table/packages/eld')
  const modules = readdirSync(join(from, 'src')).filter(file => file.endsWith('.js'))
  for (const part of ['LICENSE', 'package.json', 'src/ngrams/extrasmall.js', ...modules.map(file => `src/${file}`)])
    cpSync(join(from, part), join(to, part))
}
