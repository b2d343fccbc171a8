/**
 * Makes a clone that of a release: writes its version into every place that names one, and its date into the changelog. Run by
 * `npm run version:set 1.2.3`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { datedChangelog } from './changelog.ts'
import { repositoryOf } from './release-faults.ts'
import { writeVersion } from './version-places.ts'

const root = join(import.meta.dirname, '..')
const [, , version = ''] = process.argv

if (/^\d+\.\d+\.\d+$/.test(version)) {
  writeVersion(root, version)
  const file = join(root, 'CHANGELOG.md')
  const today = new Date().toISOString().slice(0, 10)
  writeFileSync(file, datedChangelog(readFileSync(file, 'utf8'), version, today, repositoryOf(root)))
} else {
  console.error(`npm run version:set needs a version such as 1.2.3, not '${version}'`)
  process.exitCode = 1
}
