import vm from 'node:vm'
import { firstCodePoints, printableLine, refusedFields } from '../../../../service/index.ts'

const MAX_PATTERNS = 50
const MAX_PATTERN_CHARS = 500
const SHOWN_CHARS = 100
/** Time for all patterns of a field and all texts. A pattern can take exponential time, and other requests wait meanwhile. */
const MATCHING_MS = 100

/** Runs in a context of its own, because only there the time of a regular expression can be limited. */
const matching = new vm.Script(
  'const compiled = patterns.map(pattern => new RegExp(pattern)); texts.map(text => compiled.some(one => one.test(text)))',
)

/**
 * Says for each text whether one of the regular expressions of a request matches a part of it.
 *
 * @param path - the name of the field that has the patterns.
 * @param patterns - checked by {@link checkPatterns}.
 * @throws ServiceError invalid_request - a pattern takes too long, or is too large to run.
 */
export function matchesAny(path: string, patterns: readonly string[], texts: readonly string[]): boolean[] {
  const context = vm.createContext({ patterns: [...patterns], texts: [...texts] })
  try {
    // The list belongs to the context.
    return Array.from<boolean>(matching.runInContext(context, { timeout: MATCHING_MS }))
  } catch (cause) {
    throw refusedFields('invalid_request', [{ path, reason: 'has a pattern that takes too long or is too large' }], {
      cause,
    })
  }
}

/** @throws ServiceError invalid_request - a text is not a regular expression, or there are too many. */
export function checkPatterns(path: string, patterns: readonly string[]): void {
  const problems = patterns.flatMap((pattern, i) => {
    if (i < MAX_PATTERNS && isPattern(pattern)) return []
    const shown = firstCodePoints(printableLine(pattern), SHOWN_CHARS)
    const reason = i < MAX_PATTERNS ? `is not a regular expression: ${shown}` : `at most ${MAX_PATTERNS} patterns`
    return [{ path: `${path}[${i}]`, reason }]
  })
  if (problems.length > 0) throw refusedFields('invalid_request', problems.slice(0, MAX_PATTERNS))
}

function isPattern(pattern: string): boolean {
  if (pattern.length > MAX_PATTERN_CHARS) return false
  try {
    // Only read here. Even the empty text can take exponential time to match.
    new RegExp(pattern)
    return true
  } catch {
    return false
  }
}
