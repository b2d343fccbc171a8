import { normalizeUrl } from '../../core/url.ts'

/** A page as it was from one instant until another. */
export interface DocVersion {
  /** Ascends with `at`. */
  number: number
  url: string
  title: string
  text: string
  /** Epoch ms. */
  at: number
  /** The instant of the next version or of the removal. Undefined if there is none. */
  until?: number
}

/** All versions of all pages, the oldest first, and the removals of pages. */
export interface DocHistory {
  versions: DocVersion[]
  removals: { url: string; at: number }[]
}

/** A new text of a page, or its removal if `text` is undefined. */
export interface DocChange {
  url: string
  at: number
  title: string
  text?: string
}

const words = (text = '') => text.split(/\s+/).filter(Boolean).join(' ')

/** Makes a history from changes. Changes of white space alone are left out, since they make no version in any engine. */
export function docHistory(changes: readonly DocChange[]): DocHistory {
  const drafts: Omit<DocVersion, 'number'>[] = []
  const removals: DocHistory['removals'] = []
  const current = new Map<string, Omit<DocVersion, 'number'>>()
  for (const change of changes) {
    const { title, text } = change
    const url = normalizeUrl(change.url)
    const before = current.get(url)
    // Commits may have equal times, or earlier ones than their parents.
    const at = Math.max(change.at, (before?.until ?? before?.at ?? -1) + 1)
    const exists = before !== undefined && before.until === undefined
    const isEmpty = words(text) === ''
    if (exists && !isEmpty && before.title === title && words(before.text) === words(text)) continue
    if (exists) before.until = at
    if (exists && isEmpty) removals.push({ url, at })
    if (text === undefined || isEmpty) continue
    const version = { url, title, text, at }
    current.set(url, version)
    drafts.push(version)
  }
  const versions = drafts.sort((a, b) => a.at - b.at).map((draft, number) => ({ number, ...draft }))
  return { versions, removals }
}

export const isValidAt = ({ at, until }: DocVersion, instant: number): boolean =>
  at <= instant && (until === undefined || until > instant)

/** Returns the part of a history up to an instant: its versions and removals. */
export function historyUntil({ versions, removals }: DocHistory, instant: number): DocHistory {
  return {
    versions: versions
      .filter(({ at }) => at <= instant)
      .map(version => ({ ...version, until: isValidAt(version, instant) ? undefined : version.until })),
    removals: removals.filter(({ at }) => at <= instant),
  }
}

/** Returns the pages as they were at an instant, without anything older. */
export function pagesAt({ versions }: DocHistory, instant: number): DocHistory {
  const valid = versions.filter(version => isValidAt(version, instant))
  return { versions: valid.map(version => ({ ...version, until: undefined })), removals: [] }
}

/** Returns at most `count` instants, ascending, that divide the changes into parts of about equal size. The last is that of the last change. */
export function commitInstants({ versions, removals }: DocHistory, count: number): number[] {
  const changedAt = [...versions, ...removals].map(({ at }) => at).sort((a, b) => a - b)
  const last = (i: number) => changedAt[Math.ceil(((i + 1) * changedAt.length) / count) - 1]!
  return [...new Set(Array.from({ length: count }, (_, i) => last(i)))]
}

/** What an index of the pages of an instant must add and delete after another instant. */
export interface DocCommit {
  instant: number
  added: DocVersion[]
  /** Versions that were valid at the instant before. */
  ended: DocVersion[]
}

/** Returns the changes from each instant to the next. A version that no instant shows is left out. */
export function commitsOf({ versions }: DocHistory, instants: readonly number[]): DocCommit[] {
  return instants.map((instant, i) => {
    const before = instants[i - 1] ?? -1
    const isNew = (version: DocVersion) => version.at > before && isValidAt(version, instant)
    const isOver = (version: DocVersion) => isValidAt(version, before) && !isValidAt(version, instant)
    return { instant, added: versions.filter(isNew), ended: versions.filter(isOver) }
  })
}
