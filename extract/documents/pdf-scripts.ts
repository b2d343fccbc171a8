import type { PdfRun } from './pdf-right-to-left.ts'
import { scriptText } from './script-text.ts'

/** Matches a number or sign that may be an exponent, an index or the mark of a note. */
const SCRIPT = /^(?:[+−–-]?\d{1,4}|\d?[+−–-]|[*†‡])$/
/** Maximum size of raised and lowered text, and minimum distances from the line, as multiples of the size of the text before it. */
const MAX_SIZE = 0.85
const MIN_RAISED = 0.15
const MIN_LOWERED = 0.06
/** Maximum gap between a raised or lowered text and the text before it, as a multiple of the font size of the text before it. */
const MAX_GAP = 0.25
/** Matches the end of a text that may have an index: a variable, the symbol of an element, a number, or a bracket. */
const INDEXED = /(?:^|[^\p{L}\p{M}])[\p{L}\p{M}]{1,3}$|[\p{N})\]]$/u

/**
 * Returns the text of a line from left to right. Small numbers above and below the line become exponents, indices or marks of notes:
 * 10⁶, H₂O.
 */
export function joinedRuns(runs: readonly PdfRun[]): string {
  let text = ''
  let base: PdfRun | undefined
  let end = 0
  for (const [i, run] of runs.entries()) {
    const { str, transform, width } = run
    const script = base && str !== '' && transform[4] - end <= MAX_GAP * base.height ? scriptOf(run, base) : undefined
    if (script === undefined || /\s$/.test(text) || (script === 'lowered' && !INDEXED.test(text.slice(-10))))
      text += str
    else text += scriptText(script, str, text, runs[i + 1]?.str ?? '')
    if (str.trim() === '') continue
    end = transform[4] + width
    if (script === undefined) base = run
  }
  return text
}

function scriptOf({ str, height, transform }: PdfRun, base: PdfRun): 'raised' | 'lowered' | undefined {
  if (height > base.height * MAX_SIZE || !SCRIPT.test(str.trim())) return undefined
  const above = transform[5] - base.transform[5]
  if (above >= base.height * MIN_RAISED) return 'raised'
  return above <= -base.height * MIN_LOWERED ? 'lowered' : undefined
}
