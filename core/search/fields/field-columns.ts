import { fieldsPrefix, termsOfFields } from '../../fields/field-terms.ts'
import { parseFields } from '../../fields/field-values.ts'
import { checkSearchTime } from '../../postings/search-time.ts'
import type { Revisions } from '../../segment/columns/revisions.ts'
import type { Segment } from '../../segment/segment.ts'
import type { DateName } from '../collection/value-order.ts'
import { TermColumn } from './term-column.ts'

/** Memory for the cached columns of a segment, bytes for each of its captures. The column that was used last is always cached. */
const KEPT_BYTES_PER_CAPTURE = 256
/** Number of rows that are read between two checks of the search time. */
const BETWEEN_CHECKS = 256

/** For each segment its cached columns: those of fields by name, and those of dates by their name after an `@`, which no field name contains. */
const ofSegments = new WeakMap<Segment, Map<string, TermColumn>>()
const ofRevisions = new WeakMap<Revisions, TermColumn>()
const partsOfRevisions = new WeakMap<Revisions, Map<string, TermColumn>>()

/** Returns the values of a field in the captures of a segment, as they were acquired. The columns that were used last are cached. */
export function fieldColumn(segment: Segment, field: string): TermColumn {
  return keepColumn(segment, field, () => TermColumn.ofSegment(segment, fieldsPrefix(field)))
}

/** Returns a date of the captures of a segment, as they were acquired. Cached like the columns of fields. */
export function dateColumn(segment: Segment, name: DateName): TermColumn {
  return keepColumn(segment, `@${name}`, () => TermColumn.ofNumbers(segment.columns[name]))
}

function keepColumn(segment: Segment, name: string, make: () => TermColumn): TermColumn {
  const columns = ofSegments.get(segment) ?? new Map<string, TermColumn>()
  ofSegments.set(segment, columns)
  const column = columns.get(name) ?? make()
  columns.delete(name)
  let bytes = [...columns.values()].reduce((sum, other) => sum + other.bytes, column.bytes)
  for (const [oldest, other] of columns) {
    if (bytes <= KEPT_BYTES_PER_CAPTURE * segment.captures) break
    columns.delete(oldest)
    bytes -= other.bytes
  }
  columns.set(name, column)
  return column
}

/** Returns the values of a field in revisions. Instead of ordinals, the column has numbers of rows. */
export function revisedColumn(revisions: Revisions, field: string): TermColumn {
  return keepPart(revisions, field, () => revisionsColumn(revisions).part(fieldsPrefix(field)))
}

/** Returns the publish dates of revisions. Instead of ordinals, the column has numbers of rows. */
export function revisedDates(revisions: Revisions): TermColumn {
  return keepPart(revisions, '@publishedAt', () => TermColumn.ofNumbers(revisions.publishedAt))
}

function keepPart(revisions: Revisions, name: string, make: () => TermColumn): TermColumn {
  const parts = partsOfRevisions.get(revisions) ?? new Map<string, TermColumn>()
  partsOfRevisions.set(revisions, parts)
  const part = parts.get(name) ?? make()
  parts.set(name, part)
  return part
}

/** Returns the values of all fields in revisions. Instead of ordinals, the column has numbers of rows. */
export function revisionsColumn(revisions: Revisions): TermColumn {
  const known = ofRevisions.get(revisions)
  if (known) return known
  const rowsOf = new Map<string, number[]>()
  const termsOf = new Map<string, ReadonlySet<string>>()
  let bytes = 0
  let postings = 0
  for (let row = 0; row < revisions.ordinals.length; row++) {
    if (row % BETWEEN_CHECKS === 0) checkSearchTime()
    const { values } = revisions.metadata(row)
    const terms = termsOf.get(values) ?? termsOfFields(parseFields(values))
    termsOf.set(values, terms)
    for (const term of terms) {
      const rows = rowsOf.get(term)
      if (rows) rows.push(row)
      else {
        rowsOf.set(term, [row])
        bytes += Buffer.byteLength(term)
      }
      postings++
    }
  }
  const column = new TermColumn({ terms: rowsOf.size, bytes, postings })
  const sorted = [...rowsOf.keys()].sort()
  for (const [number, term] of sorted.entries()) {
    const rows = rowsOf.get(term)!
    column.fill(number, Buffer.from(term), rows.length, (out, at) => out.set(rows, at))
  }
  ofRevisions.set(revisions, column)
  return column
}
