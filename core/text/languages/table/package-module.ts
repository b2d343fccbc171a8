import { existsSync, readFileSync } from 'node:fs'
import nodeModule, { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * Loads a module of a dependency synchronously, when it is first needed. Most indexes never need these modules. The
 * analyzer is synchronous and could not await an import.
 *
 * @param path - path of the module in the package.
 * @throws TypeError - the dependency is not installed.
 */
export function moduleOfPackage<T>(name: string, path: string): T {
  return createRequire(import.meta.url)(fileOfPackage(name, path)) as T
}

/** Reads a file of a dependency. Arguments and errors are those of {@link moduleOfPackage}. */
export function bytesOfPackage(name: string, path: string): Uint8Array {
  return readFileSync(fileOfPackage(name, path))
}

function fileOfPackage(name: string, path: string): string {
  // The published package includes copies of the few files that are used, instead of the whole dependency.
  const copy = join(import.meta.dirname, 'packages', name)
  if (existsSync(copy)) return join(copy, path)
  // This is no named import: an old Node.js lacks the function, so this file would fail to load before the version of
  // Node.js is checked.
  const found = nodeModule.findPackageJSON(name, import.meta.url)
  if (found === undefined) throw new TypeError(`the dependency ${name} is not installed: run npm install`)
  return join(dirname(found), path)
}
