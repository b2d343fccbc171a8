import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

let isCompiled = false

/**
 * The JavaScript of a program of this folder, made at the first call. Measured processes run it as users run what is
 * published: stripping the types of sources takes some 20 MB in each thread.
 *
 * @param program - such as `child.ts`.
 * @throws Error - the compiler refuses the sources.
 */
export function compiled(program: string): URL {
  const folder = import.meta.dirname
  if (!isCompiled) {
    const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'))
    execFileSync(process.execPath, [join(typescript, 'bin', 'tsc'), '-p', join(folder, 'tsconfig.build.json')], {
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    isCompiled = true
  }
  return pathToFileURL(join(folder, 'dist', 'bench', program.replace(/\.ts$/, '.js')))
}
