import type { Body, DocumentRecord } from '../store/records/documents.ts'
import type { Metadata } from '../store/records/revision-record.ts'
import type { Analyzed } from './entry.ts'
import { GroupBuilder } from './group-builder.ts'

/** Analyzes a page that is in the index again, from its stored text. The result is a group with this one capture. */
export function analyzeStored(
  { url, title }: Pick<DocumentRecord, 'url' | 'title'>,
  { text, markdown }: Pick<Body, 'text' | 'markdown'>,
  { publishedAt, details }: Metadata,
): Analyzed {
  const builder = new GroupBuilder()
  const capture = { url, aliases: [], title, fingerprint: '', metadata: '' }
  builder.add({ ...capture, ...(publishedAt !== undefined && { publishedAt }) }, { text, markdown, details })
  return { group: builder.finish(), index: 0 }
}
