import { type FieldProblem, refusedFields } from '../../../../service/index.ts'

/** The parts of a regular expression that a pattern of asof can have: what follows `^`, any text, an escaped sign, and signs that stand for themselves. */
const parts = /\.\*|\\([-/._~&=?%@!,;:+])|([A-Za-z0-9/_~&=%@!,;:-]+)/gy

/** Returns the text of a pattern for a regular expression without its anchors. Undefined if it has what a pattern cannot have. */
function patternOf(expression: string): string | undefined {
  let text = ''
  parts.lastIndex = 0
  while (parts.lastIndex < expression.length) {
    const found = parts.exec(expression)
    if (!found) return undefined
    const [part, escaped, plain] = found
    text += part === '.*' ? '*' : (escaped ?? plain ?? '')
  }
  return text
}

/**
 * Returns the patterns of `include` or `exclude` for regular expressions of paths, as vendors take them. An expression without `^`, or with `.*` at its beginning, may match anywhere.
 *
 * @param path - the name of the field.
 * @throws ServiceError invalid_request - an expression has more than text, `.*`, `^` and `$`.
 */
export function pathPatterns(path: string, expressions: readonly string[] = []): string[] {
  const problems: FieldProblem[] = []
  const patterns = expressions.flatMap((expression, i) => {
    const [, start, body = '', end] = /^(\^?(?:\.\*)+|\^?)(.*?)((?<!\\)\$)?$/s.exec(expression) ?? []
    const isAnchored = start === '^'
    const text = patternOf(body)
    if (text === undefined) {
      problems.push({
        path: `${path}[${i}]`,
        reason: 'may have only text, .*, ^ and $, such as ^/docs/.*; write \\. for a dot',
      })
      return []
    }
    if (isAnchored && !text.startsWith('/')) {
      problems.push({ path: `${path}[${i}]`, reason: 'must match a path, which starts with /' })
      return []
    }
    const anywhere = text.startsWith('/') ? [text, `/*${text}`] : [`/*${text}`]
    const starts = isAnchored ? [text] : anywhere
    // A path ends before its query too.
    return starts.flatMap(whole => (end === undefined ? whole : [`${whole}$`, `${whole}?*`]))
  })
  if (problems.length > 0) throw refusedFields('invalid_request', problems)
  return patterns
}
