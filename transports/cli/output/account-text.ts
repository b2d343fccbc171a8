import { printable } from '../../service/index.ts'

/** `{"calls":{"fetch":1}}` as `calls.fetch 1`. */
function fields(record: object, prefix = ''): [string, string][] {
  return Object.entries(record).flatMap(([name, value]): [string, string][] =>
    typeof value === 'object' && value !== null
      ? fields(value, `${prefix}${name}.`)
      : [[prefix + name, printable(String(value ?? '-'))]],
  )
}

/** What an administrative act returned, for a reader: a line for each field, or for each item of a list. */
export function accountText(result: object): string {
  if (Array.isArray(result)) {
    if (result.length === 0) return 'none'
    return result
      .map(item =>
        fields(item)
          .flatMap(pair => pair.join('='))
          .join('  '),
      )
      .join('\n')
  }
  const all = fields(result)
  const width = Math.max(...all.map(([name]) => name.length))
  const note = 'key' in result ? ['the key is shown this once: only its hash is kept'] : []
  return [...all.map(([name, value]) => `${name.padEnd(width)} ${value}`), ...note].join('\n')
}
