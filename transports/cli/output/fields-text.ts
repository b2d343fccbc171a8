import { type FieldsResponse, printableLine } from '../../../service/index.ts'
import { pluralize } from './wording.ts'
import { table } from './wrapped-text.ts'

/** Shows fields as a table: name, type, number of pages, and examples with their numbers of pages. */
export function fieldsText({ fields }: FieldsResponse): string {
  if (fields.length === 0) return 'no page has a field'
  const rows = fields.map(({ name, type, pages, examples }) => [
    printableLine(name),
    type,
    pluralize(pages, 'page'),
    examples.map(({ value, count }) => `${printableLine(String(value))} (${count})`).join(', '),
  ])
  return table(rows).join('\n')
}
