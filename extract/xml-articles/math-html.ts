import { attributeHtml, type HtmlOutput } from './html-output.ts'
import type { OpenElement } from './open-element.ts'

/** Number of elements around a part of a formula among which the formula is looked for. */
const MAX_STEPS = 6
const keptAttributes = new Set(['alttext', 'close', 'display', 'encoding', 'linethickness', 'open', 'separators'])

/** Returns the innermost formula among open elements; undefined if none of the last few is a formula. */
export function formulaAround(open: readonly OpenElement[]): OpenElement | undefined {
  return open.slice(-MAX_STEPS).findLast(({ rule }) => rule.role === 'formula')
}

/** Opens MathML, or an element inside it. */
export function openMath(out: HtmlOutput, element: OpenElement, open: readonly OpenElement[]): void {
  const isInside = open.at(-1)?.rule.role === 'math'
  const kept = Object.entries(element.attributes).filter(([name]) => keptAttributes.has(name))
  const isBlock = !isInside && formulaAround(open)?.rule.tag === 'block'
  const tag = isInside ? element.name : 'math'
  const written = kept.map(([name, value]) => attributeHtml(name, value)).join('')
  out.push(`<${tag}${written}${isBlock ? ' display="block"' : ''}>`)
  element.close = `</${tag}>`
}

/** Writes a formula with its caption and number. If it is inside another formula, its TeX becomes the TeX of that formula. */
export function writeFormula(
  out: HtmlOutput,
  element: OpenElement,
  inner: string,
  around: OpenElement | undefined,
): void {
  const isBlock = element.rule.tag === 'block'
  if (around && element.tex !== undefined) {
    around.tex ??= element.tex
    return
  }
  const html = element.tex === undefined ? inner : mathOf(element.tex, isBlock)
  if (element.caption !== undefined) out.push(`<p>${element.caption}</p>`)
  out.push(isBlock ? `<div>${html}</div>` : html)
  if (element.number !== undefined) out.push(isBlock ? `<p>${element.number}</p>` : ` ${element.number} `)
}

/** Gives TeX to the formula around it. Without one, the TeX is a formula of its own. */
export function writeTex(out: HtmlOutput, element: OpenElement, inner: string, formula: OpenElement | undefined): void {
  const tex = texOf(inner)
  // In DocBook, `alt` is TeX or a description.
  if (element.name === 'alt' && !/[\\^_{}=]/.test(tex)) return
  if (formula) formula.tex ??= tex
  else out.push(mathOf(tex, false))
}

/**
 * Returns the element of a formula.
 *
 * @param tex - escaped for HTML.
 */
function mathOf(tex: string, isBlock: boolean): string {
  return `<math alttext="${tex}"${isBlock ? ' display="block"' : ''}></math>`
}

/** Returns the formula in a TeX source, which may be a whole document around it. */
function texOf(source: string): string {
  const begin = source.indexOf('\\begin{document}')
  const end = source.lastIndexOf('\\end{document}')
  const body = begin < 0 ? source : source.slice(begin + '\\begin{document}'.length, end < begin ? undefined : end)
  return body
    .trim()
    .replace(/^(?:\\\(|\\\[|\$+)|(?:\\\)|\\\]|\$+)$/g, '')
    .trim()
}
