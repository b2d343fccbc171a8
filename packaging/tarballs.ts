/**
 * Builds all packages, packs them into the root folder or the one that is named (`npm run tarballs -- deploy`), and prints how to install
 * them. Tarballs of earlier builds there are deleted, so that `asof-*.tgz` names one build.
 */
import { execFileSync } from 'node:child_process'
import { globSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { packages } from './compiled-packages.ts'

const root = join(import.meta.dirname, '..')
const output = resolve(root, process.argv[2] ?? '.')

interface Packed {
  name: string
  filename: string
  size: number
  entryCount: number
}

/** Packs the package in a folder. npm prints what its scripts print, and then a JSON document. */
function packed(folder: string): Packed {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', output, folder]
  const printed = execFileSync('npm', args, { cwd: root, encoding: 'utf8' })
  const [first] = Object.values(JSON.parse(printed) as Packed[] | Record<string, Packed>)
  if (!first) throw new Error(`npm packed nothing of ${folder}`)
  return first
}

execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' })
for (const name of globSync('asof-*.tgz', { cwd: output })) rmSync(join(output, name))
const tarballs = [...packages.map(name => `./dist/${name}`), '.'].map(packed)
for (const { name, filename, size, entryCount } of tarballs)
  console.log(`${name}: ${filename}, ${entryCount} files, ${(size / 1e6).toFixed(1)} MB`)
console.log(`
Install all of them where you need them, for example in a new folder:

  npm install ${tarballs.map(({ filename }) => join(output, filename)).join(' \\\n    ')}
  npx asof demo
`)
