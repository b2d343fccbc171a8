import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { makeCorePackage } from '../../packaging/compiled-core.ts'

let isCompiled = false

/**
 * The JavaScript of a program of this folder, made at the first call. Measured processes run it as users run what is
 * published: stripping the types of sources takes some 20 MB in each thread.
 *
 * @param program - such as `engines/engine-child.ts`.
 * @throws Error - the compiler refuses the sources.
 */
export function compiled(program: string): URL {
  const folder = join(import.meta.dirname, '..')
  if (!isCompiled) {
    const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'))
    execFileSync(process.execPath, [join(typescript, 'bin', 'tsc'), '-p', join(folder, 'tsconfig.build.json')], {
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    linkPackages(join(folder, 'dist'), join(folder, '..', 'node_modules'))
    isCompiled = true
  }
  return pathToFileURL(join(folder, 'dist', 'bench', program.replace(/\.ts$/, '.js')))
}

/**
 * Links the packages of asof's own folder, and the compiled `@asof/core`, beside the compiled files. Without the links asof
 * would load the versions that its rivals brought into bench/node_modules.
 */
function linkPackages(output: string, packages: string): void {
  const links = join(output, 'node_modules')
  rmSync(links, { recursive: true, force: true })
  mkdirSync(links)
  for (const name of readdirSync(packages))
    if (name !== '@asof' && !name.startsWith('.')) symlinkSync(join(packages, name), join(links, name), 'junction')
  makeCorePackage(output)
}
