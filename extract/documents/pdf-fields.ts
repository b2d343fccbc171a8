import type { PdfRun } from './pdf-right-to-left.ts'

/** Maximum number of filled fields and notes of a page that are read. */
const MAX_FIELDS = 1000
/** Font size of a field without one, points. */
const DEFAULT_SIZE = 12

/** An annotation as pdf.js returns it: a field of a form, or a text that somebody typed onto the page. */
export interface PdfAnnotation {
  subtype?: string
  fieldType?: string
  fieldValue?: unknown
  options?: readonly { exportValue?: string; displayValue?: string }[]
  contentsObj?: { str?: string }
  rect?: readonly number[]
  defaultAppearanceData?: { fontSize?: number }
  checkBox?: boolean
  radioButton?: boolean
  exportValue?: string
  buttonValue?: string
  password?: boolean
  hidden?: boolean
  noView?: boolean
}

/** Returns the text that a field or a note shows; '' if it shows nothing. A check box shows ☒ or ☐, and a password nothing. */
export function shownText(annotation: PdfAnnotation): string {
  const { subtype, fieldType, fieldValue, options = [], password, hidden, noView } = annotation
  if (hidden || noView || password) return ''
  if (subtype === 'FreeText') return annotation.contentsObj?.str?.trim() ?? ''
  if (subtype !== 'Widget') return ''
  if (fieldType === 'Btn') {
    if (!annotation.checkBox && !annotation.radioButton) return ''
    const own = annotation.checkBox ? annotation.exportValue : annotation.buttonValue
    return typeof fieldValue === 'string' && fieldValue !== 'Off' && fieldValue === own ? '☒' : '☐'
  }
  const values = (Array.isArray(fieldValue) ? fieldValue : [fieldValue]).filter(value => typeof value === 'string')
  if (fieldType !== 'Ch') return values.join('\n').trim()
  return values
    .map(value => options.find(({ exportValue }) => exportValue === value)?.displayValue ?? value)
    .join(', ')
    .trim()
}

/**
 * Adds the texts of fields and notes to the text of a page: after the text to the left on the same line, or before the text to the
 * right. If the line has no text, the text of a field becomes a line below the nearest line above.
 *
 * @param runs - the text of the page. The texts of fields are inserted.
 * @returns the number of fields and notes that are left out, because the page has too many.
 */
export function placeFields(runs: PdfRun[], annotations: readonly PdfAnnotation[]): number {
  const filled = annotations
    .map(annotation => ({ text: shownText(annotation), rect: annotation.rect ?? [0, 0, 0, 0], annotation }))
    .filter(({ text }) => text !== '')
  const shown = filled.slice(0, MAX_FIELDS).sort((a, b) => b.rect[3]! - a.rect[3]! || a.rect[0]! - b.rect[0]!)
  for (const { text, rect, annotation } of shown) {
    const [left = 0, bottom = 0, right = 0, top = 0] = rect
    const fontSize = annotation.defaultAppearanceData?.fontSize ?? 0
    const size = Math.min(fontSize > 0 ? fontSize : DEFAULT_SIZE, Math.max(1, top - bottom))
    for (const [number, line] of text.split(/\r\n?|\n/).entries()) {
      if (line.trim() === '') continue
      const y = top - bottom > 2.5 * size ? top - size * 1.2 * (number + 1) : bottom + (top - bottom - size) / 2
      place(runs, {
        str: line,
        dir: 'ltr',
        width: right - left,
        height: size,
        transform: [size, 0, 0, size, left, y],
        hasEOL: false,
      })
    }
  }
  return filled.length - shown.length
}

function place(runs: PdfRun[], field: PdfRun): void {
  const [a, b, c, d, x, y] = field.transform
  // Indexes in `runs` of the nearest text to the left, the nearest text to the right, and the lowest text above; −1 if there is none.
  let [before, after, above] = [-1, -1, -1]
  for (const [at, { str, height, transform }] of runs.entries()) {
    if (str.trim() === '') continue
    const [ownX, ownY] = [transform[4], transform[5]]
    if (Math.abs(ownY - y) <= Math.max(height, field.height) * 0.8) {
      if (ownX <= x) {
        if (before < 0 || ownX >= runs[before]!.transform[4]) before = at
      } else if (after < 0 || ownX < runs[after]!.transform[4]) after = at
    } else if (ownY > y && (above < 0 || ownY <= runs[above]!.transform[5])) above = at
  }
  const beside = runs[before] ?? runs[after]
  if (!beside) {
    let at = above + 1
    while (at > 0 && at < runs.length && runs[at]!.str.trim() === '' && !runs[at - 1]!.hasEOL) at++
    const previous = runs[at - 1]
    if (previous) runs[at - 1] = { ...previous, hasEOL: true }
    runs.splice(at, 0, { ...field, hasEOL: true })
    return
  }
  const transform: PdfRun['transform'] = [a, b, c, d, x, beside.transform[5]]
  const isBehind = before >= 0
  const hasEOL = isBehind && beside.hasEOL
  if (hasEOL) runs[before] = { ...beside, hasEOL: false }
  runs.splice(isBehind ? before + 1 : after, 0, { ...field, str: ` ${field.str} `, transform, hasEOL })
}
