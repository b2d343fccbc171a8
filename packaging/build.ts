/**
 * Compiles the sources into dist/, from where `asof` is packed, and the packages `@asof/…` out of the folders of the same name. Run by
 * `npm run build`.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { copyLanguageModel, makePackages, packages } from './compiled-packages.ts'
import { removeInternalDeclarations } from './public-declarations.ts'
import { writeNotices } from './third-party.ts'

const root = join(import.meta.dirname, '..')
const output = join(root, 'dist')

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
makePackages(output)
removeInternalDeclarations(root, output, packages)
for (const name of packages) {
  const folder = join(output, name)
  removeInternalDeclarations(folder, folder)
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  cpSync(join(root, `packaging/${name}.md`), join(folder, 'README.md'))
  writeNotices(name, folder)
}
copyLanguageModel(join(output, 'core'))
