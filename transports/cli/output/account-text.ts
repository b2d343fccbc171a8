import { printable } from '../../../service/index.ts'
import { fill, wrap } from './wrapped-text.ts'

/** Returns the text of a scalar or a list of scalars, or undefined for other values. */
function textOf(value: unknown): string | undefined {
  if (Array.isArray(value) && value.every(item => typeof item === 'string')) return value.map(printable).join(', ')
  return typeof value === 'object' && value !== null ? undefined : printable(String(value ?? '-'))
}

/** Returns the fields of a record. Fields of nested records get dotted names: `{"calls":{"fetch":1}}` is `calls.fetch 1`. */
function fieldsOf(record: object, prefix = ''): [name: string, value: string][] {
  return Object.entries(record).flatMap(([name, value]): [string, string][] => {
    const text = textOf(value)
    return text === undefined ? fieldsOf(value as object, `${prefix}${name}.`) : [[prefix + name, text]]
  })
}

/**
 * Returns the result of an administrative act as text for people, in lines of 80 columns. A record has one line for each field.
 * A list has one paragraph of `name=value` for each record.
 */
export function accountText(result: object): string {
  if (Array.isArray(result)) {
    if (result.length === 0) return 'none'
    return result
      .map(item =>
        fill(
          fieldsOf(item).map(pair => pair.join('=')),
          '  ',
          '',
          '  ',
        ),
      )
      .join('\n')
  }
  const fields = fieldsOf(result)
  const width = Math.max(...fields.map(([name]) => name.length)) + 1
  const lines = fields.map(([name, value]) => wrap(value, name.padEnd(width), ' '.repeat(width)))
  const note = 'key' in result ? ['Store the key now: it is not shown again, because only its hash is kept.'] : []
  return [...lines, ...note].join('\n')
}
