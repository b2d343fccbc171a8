import { hash } from 'node:crypto'
import { writeFields } from '../fields/field-values.ts'
import { isSameToSearch, type RevisionRow } from '../segment/columns/revisions.ts'
import type { Metadata } from '../store/records/revision-record.ts'

/** The parts of a version, besides its text, by which searches can filter. */
export type Searchable = Omit<RevisionRow, 'at' | 'declared'>

/** @param language - the language in which the capture was analyzed. Its revisions have the same language. */
export function searchableOf({ publishedAt = Number.NaN, details }: Metadata, language: string): Searchable {
  const { author = '', kind = 'other', lang = '', description = '', fields } = details
  return {
    publishedAt,
    metadata: {
      author,
      kind,
      lang,
      language,
      description: description && hash('sha256', description, 'hex').slice(0, 12),
      values: writeFields(fields),
    },
  }
}

/**
 * Returns one row for each revision of a capture that changes a value by which searches can filter.
 *
 * @param first - the values of the capture itself.
 */
export function revisionRows(
  first: Searchable,
  revisions: readonly (Searchable & { at: number; declared: boolean })[],
): RevisionRow[] {
  const rows: RevisionRow[] = []
  for (const revision of revisions) if (!isSameToSearch(rows.at(-1) ?? first, revision)) rows.push(revision)
  return rows
}
