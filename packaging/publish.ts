/**
 * Publishes the tarballs that `npm run tarballs` wrote, each package after those that it depends on. A package that the registry already
 * has in this version is left out, so that a publication that stopped half way can be repeated. Run by `npm run release:publish`; options
 * after `--` are those of `npm publish`.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }
import { packages } from './compiled-packages.ts'
import { releaseFaults } from './release-faults.ts'

const root = join(import.meta.dirname, '..')
const { version } = packageJson
const faults = releaseFaults(root)
if (faults.length > 0) throw new Error(`not published:\n${faults.join('\n')}`)
for (const name of [...packages.map(folder => `@asof/${folder}`), 'asof']) {
  const published = spawnSync('npm', ['view', `${name}@${version}`, 'version'], { cwd: root, encoding: 'utf8' })
  if (published.stdout.trim() === version) {
    console.log(`${name} ${version} is published already`)
    continue
  }
  const tarball = `./${name.replace(/^@(.+)\//, '$1-')}-${version}.tgz`
  execFileSync('npm', ['publish', tarball, ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' })
}
