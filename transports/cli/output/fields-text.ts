import { type FieldsResponse, printable } from '../../../service/index.ts'

/** Shows fields as a table: name, type, number of pages, and examples with their numbers of pages. */
export function fieldsText({ fields }: FieldsResponse): string {
  if (fields.length === 0) return 'no page has a field'
  const rows = fields.map(({ name, type, pages, examples }) => [
    name,
    type,
    `${pages} ${pages === 1 ? 'page' : 'pages'}`,
    examples.map(({ value, count }) => `${printable(String(value))} (${count})`).join(', '),
  ])
  const widths = [0, 1, 2].map(column => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  return rows
    .map(row =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
