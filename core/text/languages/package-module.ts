import { existsSync, readFileSync } from 'node:fs'
import nodeModule, { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

/**
 * A module of a dependency, loaded at the first call and at once: what most indexes never need costs them neither
 * start-up nor memory, and an answer can't wait for an import.
 *
 * @param path - inside the package.
 */
export function moduleOfPackage<T>(name: string, path: string): T {
  return require(fileOfPackage(name, path)) as T
}

export function bytesOfPackage(name: string, path: string): Uint8Array {
  return readFileSync(fileOfPackage(name, path))
}

/** The published package brings a copy of what it uses of eld, most of which nobody needs. */
const copies = join(import.meta.dirname, 'packages')

function fileOfPackage(name: string, path: string): string {
  const copy = join(copies, name)
  if (existsSync(copy)) return join(copy, path)
  // Not imported by name: a Node.js without it could not load this file, nor say that it is too old.
  const found = nodeModule.findPackageJSON(name, import.meta.url)
  if (found === undefined) throw new TypeError(`the dependency ${name} is not installed: run npm install`)
  return join(dirname(found), path)
}
