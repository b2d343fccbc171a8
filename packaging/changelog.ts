/** A section of the changelog: what one release changed. */
export interface ChangelogSection {
  /** When it was released, as `2026-01-31`. Undefined before that. */
  date: string | undefined
  notes: string
}

const headings = /^## \[?(\d+\.\d+\.\d+)\]?(?: - (\d{4}-\d{2}-\d{2})| \(unreleased\))$/gm

/** Returns the sections of a changelog by version, the newest first. */
export function readChangelog(changelog: string): Map<string, ChangelogSection> {
  const found = [...changelog.matchAll(headings)]
  const ends = [...found.slice(1).map(({ index }) => index), changelog.search(/^\[\d+\.\d+\.\d+\]: /m)]
  return new Map(
    found.map((heading, i) => {
      const [line, version = '', date] = heading
      const end = ends[i] === -1 ? undefined : ends[i]
      return [version, { date, notes: changelog.slice(heading.index + line.length, end).trim() }]
    }),
  )
}

/**
 * Gives the section of a release its date, and a link to its tag if the repository has an address.
 *
 * @param repository - address of the repository, such as `https://git.example/owner/asof`.
 * @returns the changelog as it is if it has no such section without a date.
 */
export function datedChangelog(changelog: string, version: string, date: string, repository?: string): string {
  const heading = `## ${version} (unreleased)`
  const lines = changelog.split('\n')
  const at = lines.indexOf(heading)
  if (at < 0) return changelog
  if (repository === undefined) return lines.with(at, `## ${version} - ${date}`).join('\n')
  const text = lines.with(at, `## [${version}] - ${date}`).join('\n').trimEnd()
  const hasLinks = /^\[\d+\.\d+\.\d+\]: /m.test(changelog)
  return `${text}\n${hasLinks ? '' : '\n'}[${version}]: ${repository}/releases/tag/v${version}\n`
}

/** The notes of a release where they are read away from the repository: their links to files of it lead there. */
export function linkedNotes(notes: string, version: string, repository: string): string {
  return notes.replace(/\]\((?![a-z]+:|#)([^)\s]+)\)/g, `](${repository}/blob/v${version}/$1)`)
}
