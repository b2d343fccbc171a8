import { loweredForm, raisedForm } from '../html/raised-text.ts'

/** Number of characters before and after a raised or lowered text that decide how it is written. */
const AROUND = 40

/**
 * Returns a raised or lowered text as it is written in plain text: an exponent or index (`10⁶`, `H₂O`), the mark of a note in brackets
 * (`[1]`), or a word after a space.
 */
export function scriptText(script: 'raised' | 'lowered', written: string, before: string, after: string): string {
  const text = written.trim()
  const given = {
    text,
    before: before.slice(-AROUND),
    after: after.slice(0, AROUND),
    isReference: false,
    isAfterItalics: false,
  }
  const form = script === 'raised' ? raisedForm(given) : loweredForm(given)
  if (form.kind === 'text') return form.text
  return form.kind === 'mark' && !text.startsWith('[') ? `[${text}]` : ` ${text}`
}
