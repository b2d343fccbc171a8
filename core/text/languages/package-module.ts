import { existsSync, readFileSync } from 'node:fs'
import nodeModule, { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * Loads a module of a dependency synchronously. Most indexes never need these modules, so they are not imported at start-up;
 * and the analyzer is synchronous, so it cannot await an import.
 *
 * @param path - the module's path inside the package.
 * @throws TypeError - the dependency is not installed.
 */
export function moduleOfPackage<T>(name: string, path: string): T {
  return createRequire(import.meta.url)(fileOfPackage(name, path)) as T
}

/** Reads a file of a dependency; the arguments and errors are those of {@link moduleOfPackage}. */
export function bytesOfPackage(name: string, path: string): Uint8Array {
  return readFileSync(fileOfPackage(name, path))
}

function fileOfPackage(name: string, path: string): string {
  // The published package contains a copy of the few files of eld that it uses, instead of the whole dependency.
  const copy = join(import.meta.dirname, 'packages', name)
  if (existsSync(copy)) return join(copy, path)
  // Not a named import: on an older Node.js, which lacks the function, this file would not load, and the check of the
  // Node.js version could not report that.
  const found = nodeModule.findPackageJSON(name, import.meta.url)
  if (found === undefined) throw new TypeError(`the dependency ${name} is not installed: run npm install`)
  return join(dirname(found), path)
}
