import type { HtmlNode, HtmlTree } from './html-tree.ts'
import { loweredForm, raisedForm, type ScriptForm, type ScriptText } from './raised-text.ts'

/** Matches classes and ids of references to notes and sources. */
const referenceName =
  /(?:^|[\s_-])(?:footnotes?|fn|fn-?ref|note-?ref|references?|citation|cite|endnote)(?:$|[\s\d_:.-])/i

/** Maximum number of nodes in a raised or lowered element that is written as one text. */
const MAX_NODES = 40
/** Number of nodes to look at before and after the element, and of their ancestors. */
const MAX_STEPS = 12
const MAX_LEVELS = 16
const MAX_BEFORE_CHARS = 40

/** True for an element whose text is above the line. */
export function isRaised({ tag, isMarked, attributes }: HtmlNode): boolean {
  return tag === 'sup' || (isMarked && tag !== '' && verticalAlign(attributes.style) === 'super')
}

/** True for an element whose text is below the line. */
export function isLowered({ tag, isMarked, attributes }: HtmlNode): boolean {
  return tag === 'sub' || (isMarked && tag !== '' && verticalAlign(attributes.style) === 'sub')
}

function verticalAlign(style: string | undefined): string | undefined {
  return style && /vertical-align\s*:\s*(super|sub)\b/i.exec(style.slice(0, 500))?.[1]?.toLowerCase()
}

/** How a raised or lowered element is written, and the index after its last node. */
export type ScriptElement = ScriptForm & { end: number }

/**
 * Says how a raised or lowered element is written. `<sup>1</sup>/<sub>2</sub>` is one fraction. Returns undefined for
 * other elements.
 */
export function scriptElement(tree: HtmlTree, node: HtmlNode): ScriptElement | undefined {
  const raised = isRaised(node)
  if (!raised && !isLowered(node)) return undefined
  const script = scriptText(tree, node)
  if (script === undefined) return { kind: 'remark', end: node.end }
  const fraction = raised ? fractionAt(tree, node, script) : undefined
  const form = raised ? raisedForm(script) : loweredForm(script)
  return fraction ?? { ...form, end: node.end }
}

function scriptText(tree: HtmlTree, node: HtmlNode): ScriptText | undefined {
  if (node.end - node.index > MAX_NODES) return undefined
  const { parent } = node
  let isReference = isReferenceName(node) || (parent?.tag === 'a' && parent.end === node.end && isFirst(parent, node))
  let text = ''
  const open: HtmlNode[] = []
  for (let i = node.index + 1; i < node.end; i++) {
    const inner = tree.nodes[i]!
    while (open.length > 0 && open[open.length - 1]!.end <= i) {
      open.pop()
      text += '}'
    }
    if (inner.tag === '') text += inner.text
    else if (inner.tag === 'img' || inner.kind.isForeign || inner.kind.isBlock) return undefined
    else if (inner.kind.isUnseen) i = inner.end - 1
    else if (inner.tag === 'br') text += ' '
    else if (inner.tag === 'sup' || inner.tag === 'sub') {
      text += inner.tag === 'sup' ? '^{' : '_{'
      open.push(inner)
    } else if (inner.attributes.href !== undefined || isReferenceName(inner)) isReference = true
  }
  text += '}'.repeat(open.length)
  return {
    text: text.replace(/[\s\u200b\u2060\ufeff]+/g, ' ').trim(),
    isReference,
    ...textBefore(tree, node),
    after: textAfter(tree, node.end),
  }
}

function isFirst(parent: HtmlNode, node: HtmlNode): boolean {
  return parent.index === node.index - 1
}

function isReferenceName({ attributes: { role, class: classes, id } }: HtmlNode): boolean {
  return (
    role === 'doc-noteref' || [classes, id].some(name => name !== undefined && referenceName.test(name.slice(0, 200)))
  )
}

/** Returns the end of the text before an element, on its line. Raised text directly before it is not included. */
function textBefore(tree: HtmlTree, node: HtmlNode): { before: string; isAfterItalics: boolean } {
  let before = ''
  let isAfterItalics = false
  for (let i = node.index - 1; i > 0 && i >= node.index - MAX_STEPS && before.length < MAX_BEFORE_CHARS; i--) {
    const { tag, kind, text } = tree.nodes[i]!
    if (kind.isBlock || tag === 'br' || tag === 'img') break
    if (tag !== '') continue
    const inside = boxesOf(tree.nodes[i]!, node)
    if (inside === undefined) break
    if (inside.some(({ kind }) => kind.isUnseen)) continue
    if (before === '') {
      if (inside.some(isRaised)) continue
      if (/^\s*[,;–-]\s*$/.test(text) && i > 1 && tree.nodes[i - 1]!.parent?.tag === 'sup') continue
      isAfterItalics = inside.some(({ tag }) => tag === 'i' || tag === 'em' || tag === 'var')
    }
    before = text.slice(-MAX_BEFORE_CHARS) + before
  }
  return { before: before.replace(/[\s\u200b\ufeff]+/g, ' '), isAfterItalics }
}

/** Returns the elements around a text that do not contain `node`; undefined if one of them is a block. */
function boxesOf(text: HtmlNode, node: HtmlNode): HtmlNode[] | undefined {
  const boxes: HtmlNode[] = []
  let up = text.parent
  for (; up && up.end <= node.index && boxes.length < MAX_LEVELS; up = up.parent) {
    if (up.kind.isBlock) return undefined
    boxes.push(up)
  }
  return boxes
}

function textAfter(tree: HtmlTree, from: number): string {
  for (let i = from; i < Math.min(tree.nodes.length, from + 3); i++) {
    const { tag, kind, text, parent } = tree.nodes[i]!
    if (tag === '') {
      // A mass number is above the atomic number, and the symbol of the element follows both.
      const symbol = parent && isLowered(parent) && /^\d{1,3}$/.test(text) ? (tree.nodes[i + 1]?.text ?? '') : ''
      return (text + symbol).slice(0, MAX_BEFORE_CHARS).replace(/\s+/g, ' ')
    }
    if (kind.isBlock || tag === 'br') break
  }
  return ''
}

const numerator = /^\d{1,4}$/

/** Returns the fraction whose numerator is `node`; undefined if there is none. */
function fractionAt(tree: HtmlTree, node: HtmlNode, { text, before }: ScriptText): ScriptElement | undefined {
  const slash = tree.nodes[node.end]
  const below = tree.nodes[node.end + 1]
  if (slash === undefined || below === undefined || !numerator.test(text)) return undefined
  if (!/^\s*[/⁄∕]\s*$/.test(slash.text) || below.parent !== node.parent) return undefined
  const denominator = isLowered(below) || below.tag === 'small' ? scriptText(tree, below)?.text : undefined
  if (denominator === undefined || !numerator.test(denominator)) return undefined
  return { kind: 'text', text: `${/\d$/.test(before) ? ' ' : ''}${text}/${denominator}`, end: below.end }
}
