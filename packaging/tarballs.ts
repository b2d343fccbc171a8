/** Builds all packages, packs them into the current folder, and prints how to install them. Run by `npm run tarballs`. */
import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { packages } from './compiled-packages.ts'

const root = join(import.meta.dirname, '..')

interface Packed {
  name: string
  filename: string
  size: number
  entryCount: number
}

/** Packs the package in a folder. npm prints what its scripts print, and then a JSON document. */
function packed(folder: string): Packed {
  const output = execFileSync('npm', ['pack', '--json', '--ignore-scripts', folder], { cwd: root, encoding: 'utf8' })
  const [first] = Object.values(JSON.parse(output) as Packed[] | Record<string, Packed>)
  if (!first) throw new Error(`npm packed nothing of ${folder}`)
  return first
}

execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' })
const tarballs = [...packages.map(name => `./dist/${name}`), '.'].map(packed)
for (const { name, filename, size, entryCount } of tarballs)
  console.log(`${name}: ${filename}, ${entryCount} files, ${(size / 1e6).toFixed(1)} MB`)
console.log(`
Install all of them where you need them, for example in a new folder:

  npm install ${tarballs.map(({ filename }) => resolve(root, filename)).join(' \\\n    ')}
  npx asof demo
`)
