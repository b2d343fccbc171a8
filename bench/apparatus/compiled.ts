import { execFileSync } from 'node:child_process'
import { rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

let isCompiled = false

/**
 * The JavaScript of a program of this folder, made at the first call. Measured processes run it as users run what is
 * published: stripping the types of sources takes some 20 MB in each thread.
 *
 * @param program - such as `apparatus/child.ts`.
 * @throws Error - the compiler refuses the sources.
 */
export function compiled(program: string): URL {
  const folder = join(import.meta.dirname, '..')
  if (!isCompiled) {
    const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'))
    execFileSync(process.execPath, [join(typescript, 'bin', 'tsc'), '-p', join(folder, 'tsconfig.build.json')], {
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    useOwnDependencies(join(folder, 'dist'), join(folder, '..', 'node_modules'))
    isCompiled = true
  }
  return pathToFileURL(join(folder, 'dist', 'bench', program.replace(/\.ts$/, '.js')))
}

/** Else asof would run with what its rivals, installed in this folder, brought of other versions. */
function useOwnDependencies(folder: string, dependencies: string): void {
  const link = join(folder, 'node_modules')
  rmSync(link, { force: true })
  symlinkSync(dependencies, link, 'junction')
}
