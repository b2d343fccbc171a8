/** Compiles the sources into dist/, from where `asof` is packed, and `@asof/core` out of dist/core. Run by `npm run build`. */
import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { copyLanguageModel, makeCorePackage } from './compiled-core.ts'
import { removeInternalDeclarations } from './public-declarations.ts'

const root = join(import.meta.dirname, '..')
const output = join(root, 'dist')
const core = join(output, 'core')

rmSync(output, { recursive: true, force: true })
execFileSync(
  process.execPath,
  [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'tsconfig.build.json')],
  {
    stdio: 'inherit',
  },
)
execFileSync(
  process.execPath,
  [
    join(root, 'node_modules/vite/bin/vite.js'),
    'build',
    'console',
    '--outDir',
    join(output, 'console/built'),
    '--logLevel',
    'warn',
  ],
  { cwd: root, stdio: 'inherit' },
)
makeCorePackage(output)
removeInternalDeclarations(root, output)
removeInternalDeclarations(core, core)
copyLanguageModel(core)
cpSync(join(root, 'LICENSE'), join(core, 'LICENSE'))
cpSync(join(root, 'core/text/dictionaries/LICENSE'), join(core, 'text/dictionaries/LICENSE'))
cpSync(join(root, 'packaging/core.md'), join(core, 'README.md'))
