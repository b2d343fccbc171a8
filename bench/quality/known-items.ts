import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JudgedCollection } from './judged-collection.ts'

/** Minimum length of a README. A shorter README has too few words to be found by. */
const MIN_CHARS = 300
/** Minimum number of words of a description that is used as a query. */
const MIN_WORDS = 4
const ACQUIRED_FROM = Date.UTC(2026, 0, 1)

interface InstalledPackage {
  name: string
  description: string
  readme: string
}

/**
 * Makes a known-item collection from the installed npm packages: each query is the description of a package, and only its README is
 * relevant. Descriptions are removed from the READMEs, so that the words of the query must match elsewhere.
 *
 * @param folders - `node_modules` folders to read, without nested ones.
 */
export function knownItems(folders: readonly string[]): JudgedCollection {
  const packages = new Map<string, InstalledPackage>()
  for (const folder of folders)
    for (const path of packagePaths(folder)) {
      const found = readPackage(path)
      if (found && !packages.has(found.name)) packages.set(found.name, found)
    }
  const items = [...packages.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  return {
    name: 'known-items',
    ids: items.map(({ name }) => name),
    pages: items.map(({ name, readme }, number) => ({
      number,
      url: `https://packages.example/${encodeURIComponent(name)}`,
      title: name,
      text: readme,
      acquiredAt: ACQUIRED_FROM + number * 1000,
    })),
    queries: items
      .filter(({ description }) => description.split(/\s+/).length >= MIN_WORDS)
      .map(({ name, description }) => ({ id: name, text: description, grades: new Map([[name, 1]]) })),
  }
}

function packagePaths(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter(name => !name.startsWith('.'))
    .flatMap(name =>
      name.startsWith('@')
        ? readdirSync(join(folder, name)).map(inner => join(folder, name, inner))
        : [join(folder, name)],
    )
}

function readPackage(path: string): InstalledPackage | undefined {
  const manifest = join(path, 'package.json')
  const readme = join(path, 'README.md')
  if (!existsSync(manifest) || !existsSync(readme)) return undefined
  const { name, description } = JSON.parse(readFileSync(manifest, 'utf8')) as { name?: unknown; description?: unknown }
  if (typeof name !== 'string' || typeof description !== 'string' || description.trim() === '') return undefined
  const text = readFileSync(readme, 'utf8').replaceAll(description, ' ').replaceAll(description.replace(/\.$/, ''), ' ')
  return text.length < MIN_CHARS ? undefined : { name, description, readme: text }
}
