import { isDeepStrictEqual } from 'node:util'
import type { Page } from '../page.ts'
import { readText } from '../store/records/stored-page.ts'
import type { Snapshot } from '../store/snapshots/snapshots.ts'
import type { PagePart } from './page-version.ts'
import type { ContentPlace } from './version-spans.ts'

/** The content of a version, for comparison with the next version. */
export interface VersionContent {
  place: ContentPlace
  page: Page
}

/** The parts of a page that are compared by value. */
const metadata = ['publishedAt', 'author', 'description', 'lang', 'siteName', 'kind', 'data', 'fields'] as const

/** Returns the parts of a page that differ between two versions. */
export function changedParts(before: VersionContent, after: VersionContent, snapshot: Snapshot): PagePart[] {
  const changed: PagePart[] = []
  const sameTitle = collapseSpace(before.page.title) === collapseSpace(after.page.title)
  if (!sameTitle) changed.push('title')
  const sameText = !textDiffers(before, after, snapshot)
  if (!sameText) changed.push('text')
  const sameForm = before.page.title === after.page.title && before.page.markdown === after.page.markdown
  if (sameTitle && sameText && !sameForm) changed.push('markup')
  for (const part of metadata) if (!isDeepStrictEqual(before.page[part], after.page[part])) changed.push(part)
  return changed
}

/**
 * True if the title or the text differs. Different fingerprints are not enough, because a fingerprint also covers
 * identifiers such as ISBNs.
 */
function textDiffers(before: VersionContent, after: VersionContent, { store }: Snapshot): boolean {
  if (before.place.fingerprint === after.place.fingerprint) return false
  const [old, now] = [before, after].map(({ place }) => collapseSpace([...readText(store, place.captureId)].join('')))
  return old !== now
}

/** Fingerprints ignore white space, so this comparison must too. */
function collapseSpace(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
