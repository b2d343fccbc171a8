import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

interface Manifest {
  name: string
  exports: Record<string, string>
  devDependencies?: Record<string, string>
  [field: string]: unknown
}

/** What the package.json of asof says about all packages. The fields after the first are missing as long as they are not known. */
interface Shared {
  engines: Record<string, string>
  publishConfig: Record<string, unknown>
  repository?: Record<string, string>
  bugs?: Record<string, string>
  homepage?: string
  author?: string
}

/** The entry of `exports` for a source file such as `./index.ts`, once it is compiled. */
function compiledEntry(source: string): string | { types: string; default: string } {
  if (!source.endsWith('.ts')) return source
  const path = source.slice(0, -'.ts'.length)
  return { types: `${path}.d.ts`, default: `${path}.js` }
}

/** The folders that are packages of their own, `@asof/…`, with their dependencies first. */
export const packages = ['extract', 'encoder', 'core'] as const

/**
 * The package.json of such a folder as it is published: its entries are compiled files, it is no longer private, and it says of the
 * needed Node.js, the repository and the way of publishing what that of asof says. In the sources it needs no Node.js, because a clone may
 * be installed by an older one.
 */
export function publishedManifest(sources: Manifest, shared: Shared): Manifest {
  const { private: _private, devDependencies: _development, exports, ...rest } = sources
  const { engines, publishConfig, repository, bugs, homepage, author } = shared
  const directory = sources.name.replace('@asof/', '')
  const entries = Object.entries(exports).map(([name, source]) => [name, compiledEntry(source)])
  return {
    ...rest,
    engines,
    publishConfig,
    repository: repository && { ...repository, directory },
    bugs,
    homepage,
    author,
    exports: Object.fromEntries(entries),
  }
}

/**
 * Makes the folders with compiled sources packages, so that compiled code that imports one of them by its name loads it.
 *
 * @param output - where the compiler wrote: it holds these folders, and what imports the packages.
 */
export function makePackages(output: string): void {
  const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))
  const shared = read('package.json') as Shared
  const links = join(output, 'node_modules/@asof')
  mkdirSync(links, { recursive: true })
  for (const name of packages) {
    const manifest = publishedManifest(read(`${name}/package.json`) as Manifest, shared)
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
