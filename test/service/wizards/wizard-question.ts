import type { StructuredItem } from '../../../core/index.ts'
import { analyzeQuery } from '../../../core/internal.ts'
import type { Wizard, WizardCapture, WizardQuestion } from '../../../service/index.ts'

export const ACQUIRED_AT = Date.UTC(2026, 0, 15)

export function captureOf(data: unknown[], more: Partial<WizardCapture> = {}): WizardCapture {
  const url = 'https://shop.example.com/page'
  return { url, title: 'A page', acquiredAt: ACQUIRED_AT, data: data as StructuredItem[], ...more }
}

/** Creates a question with captures; other captures are looked up in `elsewhere`. */
export function questionOf(
  query: string,
  captures: readonly WizardCapture[],
  elsewhere: readonly WizardCapture[] = [],
): WizardQuestion {
  return {
    query,
    terms: analyzeQuery(query).terms.map(({ term }) => term),
    captures,
    capture: async url => elsewhere.find(capture => capture.url === url),
    search: async (_words, mode) => (mode === 'webql' ? [] : elsewhere),
    signal: new AbortController().signal,
  }
}

/** Returns the fields of a wizard's items for one page. */
export async function fieldsOf(wizard: Wizard, query: string, ...data: unknown[]): Promise<Record<string, unknown>[]> {
  const answers = await wizard.answer(questionOf(query, [captureOf(data)]))
  return answers.map(({ fields }) => ({ ...fields }))
}
