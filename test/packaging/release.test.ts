import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { datedChangelog, linkedNotes, readChangelog } from '../../packaging/changelog.ts'
import { releaseFaults, repositoryOf } from '../../packaging/release-faults.ts'
import { readVersions } from '../../packaging/version-places.ts'

const root = resolve(import.meta.dirname, '../..')
const { version } = packageJson
const REPOSITORY = 'https://git.example/owner/asof'

it('every place that names the release names the same one', () => {
  const places = readVersions(root)
  expect(places.map(({ file }) => file)).toContain('core/runtime/release.ts')
  for (const { file, versions } of places) expect([...new Set(versions)], file).toEqual([version])
})

it('the newest section of the changelog is that of this release', () => {
  const sections = readChangelog(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))
  expect([...sections.keys()][0]).toBe(version)
  expect(sections.get(version)?.notes).toMatch(/^- \*\*/m)
})

describe('a copy of the clone', () => {
  let copy: string
  beforeEach(() => {
    copy = mkdtempSync(join(tmpdir(), 'asof release-'))
    for (const file of [...readVersions(root).map(place => place.file), 'CHANGELOG.md', 'packaging'])
      cpSync(join(root, file), join(copy, file), { recursive: true })
  })
  afterEach(() => rmSync(copy, { recursive: true }))

  const read = (file: string) => readFileSync(join(copy, file), 'utf8')
  const json = (file: string) => JSON.parse(read(file))
  function run(script: string, ...args: string[]) {
    const env = { ...process.env, GITHUB_SERVER_URL: '', GITHUB_REPOSITORY: '' }
    const program = [join(copy, 'packaging', script), ...args]
    return spawnSync(process.execPath, program, { cwd: copy, encoding: 'utf8', env })
  }
  function nameRepository(): void {
    const repository = { type: 'git', url: `git+${REPOSITORY}.git` }
    writeFileSync(join(copy, 'package.json'), JSON.stringify({ ...json('package.json'), repository }, null, 2))
  }

  it('has the version everywhere that version:set was asked for', async () => {
    const before = readVersions(copy)
    expect(run('set-version.ts', '9.8.7')).toMatchObject({ status: 0, stderr: '' })
    const places = before.map(({ file, versions }) => ({ file, versions: versions.map(() => '9.8.7') }))
    expect(readVersions(copy)).toEqual(places)
    const all = { '@asof/core': '9.8.7', '@asof/encoder': '9.8.7', '@asof/extract': '9.8.7' }
    expect(json('package.json')).toMatchObject({ version: '9.8.7', dependencies: all })
    expect(json('core/package.json')).toMatchObject({ version: '9.8.7', dependencies: { '@asof/extract': '9.8.7' } })
    expect(json('encoder/package.json')).toMatchObject({ version: '9.8.7', dependencies: { '@asof/extract': '9.8.7' } })
    expect(json('extract/package.json').version).toBe('9.8.7')
    expect(json('package-lock.json')).toMatchObject({
      version: '9.8.7',
      packages: {
        '': { version: '9.8.7', dependencies: all },
        core: { version: '9.8.7', dependencies: { '@asof/extract': '9.8.7' } },
        encoder: { version: '9.8.7', dependencies: { '@asof/extract': '9.8.7' } },
        extract: { version: '9.8.7' },
      },
    })
    expect(await import(pathToFileURL(join(copy, 'core/runtime/release.ts')).href)).toMatchObject({ RELEASE: '9.8.7' })
    expect(read('python/pyproject.toml')).toContain('name = "asof-client"\nversion = "9.8.7"\n')
    expect(read('docs/extraction.md')).toContain('asof-extract-9.8.7.tgz')
    // Versions of other packages stay.
    expect(json('package.json').dependencies).toEqual({ ...packageJson.dependencies, ...all })
  })

  it('stays as it is if version:set is asked for something else than a version', () => {
    for (const wrong of [[], ['v1.2.3'], ['1.2'], ['1.2.3-rc.1']])
      expect(run('set-version.ts', ...wrong)).toMatchObject({ status: 1, stderr: expect.stringContaining('1.2.3') })
    expect(readVersions(copy)).toEqual(readVersions(root))
  })

  it('can be released once package.json names the repository and the changelog has a date', () => {
    const undated = `CHANGELOG.md has no date of ${version}: run npm run version:set`
    const unnamed = 'package.json names no repository (CONTRIBUTING.md says how)'
    writeFileSync(join(copy, 'CHANGELOG.md'), `# Changelog\n\n## ${version} (unreleased)\n\n- **It** is new\n`)
    expect(releaseFaults(copy)).toEqual([undated, unnamed])
    expect(run('check-release.ts', `v${version}`).status).toBe(1)
    expect(run('publish.ts')).toMatchObject({ status: 1, stderr: expect.stringContaining(unnamed) })

    nameRepository()
    expect(run('set-version.ts', version).status).toBe(0)
    expect(repositoryOf(copy)).toBe(REPOSITORY)
    expect(run('check-release.ts', `v${version}`)).toMatchObject({ status: 0, stdout: '', stderr: '' })
    expect(releaseFaults(copy, `v${version}`, REPOSITORY)).toEqual([])
    expect(read('CHANGELOG.md')).toContain(`\n[${version}]: ${REPOSITORY}/releases/tag/v${version}\n`)
    expect(run('release-notes.ts').stdout).toBe('- **It** is new\n')
  })

  it('cannot be released under another tag, in another repository, or while a place names another version', () => {
    nameRepository()
    writeFileSync(join(copy, 'CHANGELOG.md'), `# Changelog\n\n## 0.0.1 - 2026-01-31\n\n- **It** is new\n`)
    writeFileSync(join(copy, 'core/runtime/release.ts'), `export const RELEASE = '0.0.9'\n`)
    writeFileSync(join(copy, 'extract/package.json'), '{}\n')
    expect(releaseFaults(copy, 'v0.0.8', 'https://git.example/fork/asof')).toEqual([
      `extract/package.json names no version, not ${version}`,
      `core/runtime/release.ts names 0.0.9, not ${version}`,
      `the newest section of CHANGELOG.md is not that of ${version}`,
      `the tag is v0.0.8, not v${version}`,
      `package.json names the repository ${REPOSITORY}, not https://git.example/fork/asof`,
    ])
  })
})

const changelog = `# Changelog

## 0.3.0 (unreleased)

- **Search**: sees [scale](docs/scale.md)

## [0.2.0] - 2026-03-01

- **Crawler**: more polite

[0.2.0]: https://git.example/owner/asof/releases/tag/v0.2.0
`

it('a changelog is read section by section, without its links', () => {
  expect([...readChangelog(changelog)]).toEqual([
    ['0.3.0', { date: undefined, notes: '- **Search**: sees [scale](docs/scale.md)' }],
    ['0.2.0', { date: '2026-03-01', notes: '- **Crawler**: more polite' }],
  ])
})

it('the section of a release gets its date, and a link to its tag where the repository has an address', () => {
  const linked = datedChangelog(changelog, '0.3.0', '2026-04-01', REPOSITORY)
  expect(linked).toBe(
    `${changelog.replace('0.3.0 (unreleased)', '[0.3.0] - 2026-04-01')}[0.3.0]: ${REPOSITORY}/releases/tag/v0.3.0\n`,
  )
  expect(datedChangelog(linked, '0.3.0', '2026-05-01', REPOSITORY)).toBe(linked)
  const plain = datedChangelog(changelog, '0.3.0', '2026-04-01')
  expect(plain).toBe(changelog.replace('0.3.0 (unreleased)', '0.3.0 - 2026-04-01'))
})

it('notes of a release lead to files of its tag', () => {
  const notes = 'see [scale](docs/scale.md#objects), [npm](https://npm.example/) and [below](#below)'
  expect(linkedNotes(notes, '0.3.0', REPOSITORY)).toBe(
    `see [scale](${REPOSITORY}/blob/v0.3.0/docs/scale.md#objects), [npm](https://npm.example/) and [below](#below)`,
  )
})
