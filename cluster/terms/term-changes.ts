import { fieldOfTerm, type IndexedCapture, sortableNumber, typedPrefix } from '@asof/core/internal'
import { fieldKinds } from '@asof/extract/field-kinds'
import { ofRevision, PUBLISHED } from './revised-value.ts'
import { NEVER } from './term-queries.ts'
import { type TermsText, termsTextOf } from './terms-text.ts'

/** A capture as the term index has it. Instants are epoch ms. */
export interface TermDocument extends TermsText {
  id: number
  url: string
  /** Weighted number of words. */
  length: number
  acquiredAt: number
  supersededAt: number
  /** The publish date and the values of fields, as terms, that the capture itself has. */
  publishedAt?: number | undefined
  values?: readonly string[] | undefined
  /** The instants of its revisions. */
  revisedAt?: readonly number[] | undefined
  /** The publish date and the values of fields as of each revision, as terms. Before each is the number of its revision: `2|`. */
  revisedValues?: readonly string[] | undefined
  /** True if the capture has too many revisions for the term index. Then `revisedAt` has only the instant of the first one. */
  revisedOften?: boolean | undefined
}

/** The parts of a document that can change without a new text. */
type TermHistory = Pick<TermDocument, 'id' | 'supersededAt' | 'revisedAt' | 'revisedValues' | 'revisedOften'>

/** What a change does to the term index. Applied again, or after a later change, it does nothing. */
export interface TermChanges {
  added: TermDocument[]
  changed: TermHistory[]
  deleted: number[]
}

/** Maximum number of UTF-16 units of one bulk request. A longer operation is sent alone. */
export const BULK_CHARS = 8 * 1024 * 1024
/** Separates the requests in a text of bulk operations. JSON text does not contain this character. */
export const BETWEEN = '\u001e'

/** Changes the history of a capture unless a later change did. `change` is the number of the last change that wrote the capture. */
const CHANGE_HISTORY = `
  if (ctx._source.change < params.change) { ctx._source.change = params.change; ctx._source.putAll(params.history) }
  else { ctx.op = 'none' }`

/** The fields about revisions of a capture without revisions. */
const NEVER_REVISED = { revisedAt: null, revisedValues: null, revisedOften: null }

/**
 * Returns the bulk operations of a change. A capture is indexed and deleted with the number of the change as external version. An update
 * cannot set the version, and raises it by one. Each change has a higher number than the one before, so the version of a capture is never
 * above the number of its last change, and OpenSearch accepts every later change. Captures whose history changed come first: they are the
 * older ones, and OpenSearch need not sort a segment that is written in the order of the index.
 *
 * @param number - of the change.
 */
export function bulkOperationsOf(number: number, { added, changed, deleted }: TermChanges): object[][] {
  const version = { version: number, version_type: 'external_gte' }
  return [
    ...changed.map(({ id, ...history }) => [
      { update: { _id: String(id), retry_on_conflict: 3 } },
      { script: { source: CHANGE_HISTORY, params: { change: number, history: { ...NEVER_REVISED, ...history } } } },
    ]),
    ...added.map(({ id, supersededAt, ...capture }) => [
      { index: { _id: String(id), ...version } },
      { ...capture, id, change: number, supersededAt: Math.min(supersededAt, NEVER) },
    ]),
    ...deleted.map(id => [{ delete: { _id: String(id), ...version } }]),
  ]
}

/** Returns the bulk operations of a change as text. @param number - of the change. */
export function bulkText(number: number, changes: TermChanges): string {
  let text = ''
  let part = 0
  for (const operation of bulkOperationsOf(number, changes)) {
    const lines = bulkLinesOf(operation)
    if (part > 0 && part + lines.length > BULK_CHARS) {
      text += BETWEEN
      part = 0
    }
    text += lines
    part += lines.length
  }
  return text
}

/** Returns an operation as lines of a bulk request. */
export function bulkLinesOf(operation: readonly object[]): string {
  return operation.map(line => `${JSON.stringify(line)}\n`).join('')
}

/** Returns what a change of pages does to the term index, in the order of the index. */
export function termChanges(captures: readonly IndexedCapture[], deleted: readonly number[]): TermChanges {
  const changes: TermChanges = { added: [], changed: [], deleted: [...deleted] }
  for (const capture of captures.toSorted((a, b) => a.acquiredAt - b.acquiredAt)) {
    const { occurrences, length } = capture
    if (occurrences) {
      const values = valueTerms(occurrences.terms)
      changes.added.push(termDocument(capture, termsTextOf(occurrences, length), values))
    } else changes.changed.push(termHistory(capture))
  }
  return changes
}

/**
 * Returns the terms of the values of fields. A field of type `text` has one term here, which says that the page has the field. The words of
 * the text are indexed like the words of the page.
 */
function valueTerms(terms: readonly string[]): string[] {
  return terms.filter(term => {
    const field = fieldOfTerm(term)
    return field && (!fieldKinds[field.type].indexedText || term === typedPrefix(field.name, field.type))
  })
}

/** Returns the document of a capture. @param values - see {@link valueTerms}. */
export function termDocument(capture: IndexedCapture, text: TermsText, values: readonly string[]): TermDocument {
  const { url, length, acquiredAt, publishedAt } = capture
  return {
    ...text,
    url,
    length,
    acquiredAt,
    publishedAt,
    ...termHistory(capture),
    values: values.length > 0 ? values : undefined,
  }
}

/** Maximum number of revisions of a capture whose values are indexed: each new revision writes all of them again. */
const MAX_REVISIONS = 100
/** Maximum number of indexed values of all revisions of a capture. */
const MAX_REVISED_VALUES = 5_000

/** Returns the history of a capture. @param revised - what each revision changed, by time. */
export function termHistory({
  captureId: id,
  supersededAt,
  revised,
}: Pick<IndexedCapture, 'captureId' | 'supersededAt' | 'revised'>): TermHistory {
  // JSON has no Infinity.
  const history = { id, supersededAt: Math.min(supersededAt, NEVER) }
  const [first] = revised
  if (!first) return history
  const revisedValues = revised.slice(0, MAX_REVISIONS).flatMap(({ publishedAt, values }, i) => {
    const all = publishedAt === undefined ? values : [...values, PUBLISHED + sortableNumber(publishedAt)]
    return all.map(value => ofRevision(i + 1) + value)
  })
  if (revised.length > MAX_REVISIONS || revisedValues.length > MAX_REVISED_VALUES)
    return { ...history, revisedAt: [first.at], revisedOften: true }
  return { ...history, revisedAt: revised.map(({ at }) => at), revisedValues }
}
