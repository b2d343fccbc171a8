import type { Body, DocumentRecord } from '../store/records/documents.ts'
import type { Metadata } from '../store/records/revision-record.ts'
import { withAnalyzer } from '../text/languages/analyzers.ts'
import type { Analyzed } from './entry.ts'
import { GroupBuilder } from './group-builder.ts'

/**
 * Analyzes a stored page again, from its stored text. The result is a group with this one capture.
 *
 * @param analyzer - the number of the analyzer.
 */
export function analyzeStored(
  { url, title }: Pick<DocumentRecord, 'url' | 'title'>,
  { text, markdown }: Pick<Body, 'text' | 'markdown'>,
  { publishedAt, details }: Metadata,
  analyzer: number,
): Analyzed {
  const capture = { url, aliases: [], title, publishedAt, fingerprint: '', metadata: '' }
  return withAnalyzer(analyzer, () => {
    const builder = new GroupBuilder()
    builder.add(capture, { text, markdown, details })
    return { group: builder.finish(), index: 0 }
  })
}
