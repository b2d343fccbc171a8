import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { makePackages } from '../../packaging/compiled-packages.ts'

let isCompiled = false

/**
 * Returns the URL of a program of the bench as JavaScript, and compiles all programs on the first call. Measured processes run
 * compiled code, as users do: stripping the types of sources takes some 20 MB in each thread.
 *
 * @param program - path in the folder `bench`, such as `engines/engine-child.ts`.
 * @throws Error - the compiler reports errors in the sources.
 */
export function compiled(program: string): URL {
  const folder = join(import.meta.dirname, '..')
  if (!isCompiled) {
    const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'))
    execFileSync(process.execPath, [join(typescript, 'bin', 'tsc'), '-p', join(folder, 'tsconfig.build.json')], {
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    linkPackages(join(folder, 'dist'), join(folder, '..'))
    isCompiled = true
  }
  return pathToFileURL(join(folder, 'dist', 'bench', program.replace(/\.ts$/, '.js')))
}

/**
 * Links asof's packages, asof's own manifest and the compiled packages of `@asof` beside the compiled files. Without the links asof
 * would load the versions that other engines installed into bench/node_modules.
 */
function linkPackages(output: string, repository: string): void {
  const links = join(output, 'node_modules')
  rmSync(links, { recursive: true, force: true })
  mkdirSync(links)
  symlinkSync(repository, join(links, 'asof'), 'junction')
  const packages = join(repository, 'node_modules')
  for (const name of readdirSync(packages))
    if (name !== 'asof' && name !== '@asof' && !name.startsWith('.'))
      symlinkSync(join(packages, name), join(links, name), 'junction')
  makePackages(output)
}
