import { existsSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AsofError } from '../errors/errors.ts'

/**
 * The advice for programs that a bundler made. Threads and processes of asof run files of their own, and LevelDB is a native
 * library, so neither can be in a bundle.
 */
export const BUNDLER_HINT =
  "If a bundler made this program, keep asof, @asof/core and @asof/extract out of the bundle, as external packages (esbuild: packages: 'external'; others: docs/embedding.md)"

/**
 * Returns the file of a worker thread or child process. The file is beside the module that starts it and has the same
 * extension: `.ts` in the sources, `.js` in a build.
 *
 * @param name - the name of the file without its extension.
 * @param moduleUrl - `import.meta.url` of the starting module; undefined if a bundler turned the module into CommonJS.
 * @throws ASOF_WORKER_FAILED - there is no such file, because a bundler copied the module elsewhere.
 */
export function workerFile(name: string, moduleUrl: string | undefined): URL {
  const file = moduleUrl === undefined ? undefined : new URL(`./${name}${extname(moduleUrl)}`, moduleUrl)
  if (file && existsSync(file)) return file
  throw new AsofError(
    'ASOF_WORKER_FAILED',
    `asof runs the file ${file ? fileURLToPath(file) : `${name}.js`} in a thread or process of its own, but there is no such file. ` +
      BUNDLER_HINT,
  )
}
