import { hash } from 'node:crypto'
import { isSameToSearch, type RevisionRow } from '../segment/columns/revisions.ts'
import type { Metadata } from '../store/records/revision-record.ts'

/** What a search asks about a version of a page besides its text. */
export type Searchable = Omit<RevisionRow, 'at' | 'declared'>

/** @param language - that the capture was analyzed in; its revisions keep it. */
export function searchableOf({ publishedAt = Number.NaN, details }: Metadata, language: string): Searchable {
  const { author = '', kind = 'other', lang = '', description = '' } = details
  return {
    publishedAt,
    fields: {
      author,
      kind,
      lang,
      language,
      description: description && hash('sha256', description, 'hex').slice(0, 12),
    },
  }
}

/**
 * The rows that a search needs of a capture's revisions: those that it could tell from the state before. Of several in
 * one millisecond only the last was ever valid.
 *
 * @param first - the state of the capture itself.
 */
export function revisionRows(
  first: Searchable,
  revisions: readonly (Searchable & { at: number; declared: boolean })[],
): RevisionRow[] {
  const rows: RevisionRow[] = []
  revisions.forEach((revision, i) => {
    if (revisions[i + 1]?.at === revision.at) return
    if (!isSameToSearch(rows.at(-1) ?? first, revision)) rows.push(revision)
  })
  return rows
}
