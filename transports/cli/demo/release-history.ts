/** A release in the change log of a package. */
export interface Release {
  version: string
  /** Midnight of its day, UTC, epoch milliseconds. */
  releasedAt: number
  /** Its part of the log, with the heading. */
  markdown: string
}

/** A heading with a version and a day, such as `## [2.0.1] - 2020-08-29` or `# 8.12.0 (2024-06-14)`. */
const releaseHeading = /^#{1,4} .*?(\d+\.\d+[\w.-]*).*?\b(20\d\d-[01]\d-[0-3]\d)\b.*$/gm

/** The releases of a change log, oldest first. Those without a day are left out. */
export function releasesOf(changeLog: string): Release[] {
  const headings = [...changeLog.matchAll(releaseHeading)]
  const releases = headings.map((heading, place): Release => {
    const [, version = '', day = ''] = heading
    const end = headings[place + 1]?.index ?? changeLog.length
    return { version, releasedAt: Date.parse(day), markdown: changeLog.slice(heading.index, end).trim() }
  })
  return releases.filter(({ releasedAt }) => !Number.isNaN(releasedAt)).sort((a, b) => a.releasedAt - b.releasedAt)
}

/** The page of a change log as it was when a release had just been written into it. */
export interface LogVersion {
  version: string
  /** Epoch milliseconds; different for the releases of one day. */
  writtenAt: number
  markdown: string
}

/** Number of versions of one page. An older one is left out, so that the packages with most releases do not fill the index. */
const MAX_VERSIONS = 80
/** Number of releases on a page, as on the first page of a list. */
const RELEASES_SHOWN = 6
const MAX_CHARS = 12_000
const MINUTE_MS = 60_000

/**
 * The versions that the page of a change log has had: after each release, the page has this release and those before, the newest first.
 * So a change log of today gives a true history.
 */
export function versionsOfLog(name: string, releases: readonly Release[]): LogVersion[] {
  let lastAt = Number.NEGATIVE_INFINITY
  return releases.slice(-MAX_VERSIONS).map(release => {
    const place = releases.indexOf(release)
    const shown = releases.slice(Math.max(0, place + 1 - RELEASES_SHOWN), place + 1).reverse()
    lastAt = Math.max(release.releasedAt, lastAt + MINUTE_MS)
    const text = shown.map(({ markdown }) => markdown).join('\n\n')
    return {
      version: release.version,
      writtenAt: lastAt,
      markdown: `# Change log of ${name}\n\n${text.slice(0, MAX_CHARS)}`,
    }
  })
}
