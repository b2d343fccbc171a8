import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JudgedCollection } from './judged-collection.ts'

/** A README shorter than this says too little to be found. */
const LEAST_CHARS = 300
/** Words that a description must have to be a question of its own. */
const LEAST_WORDS = 4
const ACQUIRED_FROM = Date.UTC(2026, 0, 1)

interface InstalledPackage {
  name: string
  description: string
  readme: string
}

/**
 * A collection of known items, made of the packages that are installed: who has read what a package is for looks for
 * its README, and no other page is right. READMEs like to open with the description: there it is taken out, so that the
 * words of the question must be found elsewhere.
 *
 * @param folders - `node_modules` to look into, one level deep.
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
      .filter(({ description }) => description.split(/\s+/).length >= LEAST_WORDS)
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
  const [manifest, readme] = ['package.json', 'README.md'].map(name => join(path, name))
  if (!existsSync(manifest) || !existsSync(readme)) return undefined
  const { name, description } = JSON.parse(readFileSync(manifest, 'utf8')) as { name?: unknown; description?: unknown }
  if (typeof name !== 'string' || typeof description !== 'string' || description.trim() === '') return undefined
  const text = readFileSync(readme, 'utf8').replaceAll(description, ' ').replaceAll(description.replace(/\.$/, ''), ' ')
  return text.length < LEAST_CHARS ? undefined : { name, description, readme: text }
}
