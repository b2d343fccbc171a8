import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a file says about the release: each match of these patterns is a version. */
const manifest = [
  /(?<="name": "(?:@asof\/core|@asof\/encoder|@asof\/extract|asof)",\s+"version": ")[^"]+/g,
  /(?<="@asof\/(?:core|encoder|extract)": ")[^"]+/g,
]
const document = [/(?<=\b(?:asof|asof-core|asof-encoder|asof-extract)[-@]|\*\*Status:\*\* )\d+\.\d+\.\d+(?!\.?\d)/g]

/** The files that name the release and must. */
const required: Readonly<Record<string, readonly RegExp[]>> = {
  'package.json': manifest,
  'core/package.json': manifest,
  'encoder/package.json': manifest,
  'extract/package.json': manifest,
  'package-lock.json': manifest,
  'core/runtime/release.ts': [/(?<=RELEASE = ')[^']+/g],
  'python/pyproject.toml': [/(?<=^version = ")[^"]+/gm],
}
/** Those that may name it, as a part of a command or of a file name. The changelog names each release for good, so it is not one of them. */
const optional = ['*.md', 'docs/*.md', 'packaging/*.md', 'deploy/*']

/** The release that a file names, and how often. */
export interface VersionPlace {
  file: string
  versions: string[]
}

function placesOf(root: string): [file: string, patterns: readonly RegExp[]][] {
  const documents = globSync(optional, { cwd: root, exclude: ['CHANGELOG.md', 'deploy/*.tgz'] }).sort()
  return [...Object.entries(required), ...documents.map((file): [string, RegExp[]] => [file, document])]
}

/** Returns every file of a clone that names the release, and those that should and do not. */
export function readVersions(root: string): VersionPlace[] {
  return placesOf(root)
    .map(([file, patterns]) => {
      const text = readFileSync(join(root, file), 'utf8')
      return { file, versions: patterns.flatMap(pattern => text.match(pattern) ?? []) }
    })
    .filter(({ file, versions }) => versions.length > 0 || Object.hasOwn(required, file))
}

/** Writes a release into every place that names one. */
export function writeVersion(root: string, version: string): void {
  for (const [file, patterns] of placesOf(root)) {
    const path = join(root, file)
    const before = readFileSync(path, 'utf8')
    const after = patterns.reduce((text, pattern) => text.replace(pattern, version), before)
    if (after !== before) writeFileSync(path, after)
  }
}
