/** Prints the section of the changelog about the release that this clone is of. Run by `npm run --silent release:notes`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }
import { linkedNotes, readChangelog } from './changelog.ts'
import { repositoryOf } from './release-faults.ts'

const root = join(import.meta.dirname, '..')
const { version } = packageJson
const section = readChangelog(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')).get(version)
if (section === undefined) throw new Error(`CHANGELOG.md has no section of ${version}`)
const repository = repositoryOf(root)
console.log(repository === undefined ? section.notes : linkedNotes(section.notes, version, repository))
