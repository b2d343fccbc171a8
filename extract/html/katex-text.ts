import type { HtmlNode, HtmlTree } from './html-tree.ts'
import { exponent, subscript } from './raised-text.ts'

/** A text in a column of KaTeX, and its `top`, em: the smaller, the higher. */
interface Shift {
  top: number
  text: string
}

interface OpenElement {
  node: HtmlNode
  classes: readonly string[]
  text: string
  shifts: Shift[]
}

const MAX_NODES = 5000
/**
 * A mark with a smaller `top` than this, em, is an exponent, any other an index. The line itself is at −2.7, exponents are at about −3.1
 * and indexes at about −2.5.
 */
const MIN_RAISED = -2.8

/** Returns the formula in the HTML of KaTeX, for pages without its MathML: `mc²`, `(a + b)/2`. Its time is linear. */
export function katexText(tree: HtmlTree, html: HtmlNode): string {
  const open: OpenElement[] = [openedAt(html)]
  const end = Math.min(html.end, html.index + MAX_NODES)
  const close = () => {
    const element = open.pop()!
    const outer = open[open.length - 1]!
    if (outer.classes.includes('vlist') && element.node.tag === 'span') {
      const top = /(?:^|;)\s*top\s*:\s*(-?[\d.]+)em/.exec(element.node.attributes.style?.slice(0, 200) ?? '')?.[1]
      if (element.text.trim() !== '') outer.shifts.push({ top: Number(top ?? 0), text: element.text.trim() })
    } else if (isColumn(element)) outer.text += textOf(element)
    else {
      outer.text += textOf(element)
      outer.shifts.push(...element.shifts)
    }
  }
  for (let i = html.index + 1; i < end; i++) {
    while (open.length > 1 && open[open.length - 1]!.node.end <= i) close()
    const node = tree.nodes[i]!
    if (node.tag === '') open[open.length - 1]!.text += node.text.replace(/\u200b/g, '')
    else open.push(openedAt(node))
  }
  while (open.length > 1) close()
  return textOf(open[0]!).replace(/\s+/g, ' ').trim()
}

function openedAt(node: HtmlNode): OpenElement {
  return { node, classes: (node.attributes.class ?? '').slice(0, 200).split(/\s+/), text: '', shifts: [] }
}

/** True for an element whose class says how the texts in its columns belong together, such as a fraction. */
function isColumn({ classes }: OpenElement): boolean {
  return ['msupsub', 'mfrac', 'sqrt', 'op-limits', 'mtable', 'accent'].some(name => classes.includes(name))
}

function textOf({ classes, text, shifts }: OpenElement): string {
  const fromTop = shifts.toSorted((a, b) => a.top - b.top)
  if (classes.includes('msupsub'))
    return fromTop
      .map(({ top, text: mark }) => (top < MIN_RAISED ? exponent : subscript)(mark))
      .reverse()
      .join('')
  if (classes.includes('mfrac')) {
    const [above, below] = [fromTop[0], fromTop.at(-1)]
    return above && below ? `${operand(above.text)}/${operand(below.text)}` : text
  }
  if (classes.includes('sqrt')) return `√${operand(`${text}${fromTop.map(shift => shift.text).join('')}`.trim())}`
  if (shifts.length > 0 && ['op-limits', 'mtable', 'accent'].some(name => classes.includes(name)))
    return `${text} ${fromTop.map(shift => shift.text).join(' ')} `
  if (classes.includes('mbin') || classes.includes('mrel')) return ` ${text} `
  return text
}

function operand(text: string): string {
  return /^[\p{L}\p{N}]+$/u.test(text) ? text : `(${text})`
}
