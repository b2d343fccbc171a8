import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readChangelog } from './changelog.ts'
import { readVersions } from './version-places.ts'

interface Manifest {
  version: string
  repository?: { url: string }
}

const manifestOf = (root: string): Manifest => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest

/** The address of the repository that package.json names. Undefined if it names none. */
export function repositoryOf(root: string): string | undefined {
  return manifestOf(root)
    .repository?.url.replace(/^git\+/, '')
    .replace(/\.git$/, '')
}

/**
 * Returns what keeps a clone from being released, in sentences; nothing if it can be.
 *
 * @param tag - the tag of the release, if there is one.
 * @param host - the repository that runs this, if a host of repositories does. Packages whose manifest names another one have no provenance.
 */
export function releaseFaults(root: string, tag?: string, host?: string): string[] {
  const { version } = manifestOf(root)
  const repository = repositoryOf(root)
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  const [newest, section] = readChangelog(changelog).entries().next().value ?? []
  const faults = readVersions(root)
    .filter(({ versions }) => versions.length === 0 || versions.some(found => found !== version))
    .map(({ file, versions }) => `${file} names ${[...new Set(versions)].join(', ') || 'no version'}, not ${version}`)
  if (newest !== version) faults.push(`the newest section of CHANGELOG.md is not that of ${version}`)
  else if (section?.date === undefined) faults.push(`CHANGELOG.md has no date of ${version}: run npm run version:set`)
  if (tag !== undefined && tag !== `v${version}`) faults.push(`the tag is ${tag}, not v${version}`)
  if (repository === undefined) faults.push('package.json names no repository (CONTRIBUTING.md says how)')
  else if (host !== undefined && host !== repository)
    faults.push(`package.json names the repository ${repository}, not ${host}`)
  return faults
}
