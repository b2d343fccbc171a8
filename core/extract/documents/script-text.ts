import { loweredForm, raisedForm } from '../html/raised-text.ts'

const AROUND = 40

/** Returns raised or lowered text as it is written in a line: as exponent or index, in brackets if it marks a note, or apart. */
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
