import { type HtmlNode, type HtmlTree, nextSibling } from './html-tree.ts'

const MAX_CLASS_CHARS = 200
/** Number of nodes at the start of a listing in which its first line is looked for. */
const FIRST_NODES = 24

/** Matches the classes of boxes of code: CodeMirror, SyntaxHighlighter, Crayon. */
const boxClasses = /(?:^|\s)(?:CodeMirror-code|cm-content|syntaxhighlighter|crayon-pre)(?:\s|$)/
/** Matches the classes of cells with a line of code: GitHub, Gitea. */
const cellClasses = /(?:^|\s)(?:blob-code|lines-code)(?:\s|$)/

function classOf({ attributes }: HtmlNode): string {
  return attributes.class?.slice(0, MAX_CLASS_CHARS) ?? ''
}

function hasClass(node: HtmlNode, name: string): boolean {
  return classOf(node).split(/\s+/).includes(name)
}

/** True for a `<div>` that is one line of code in the listings of Doxygen: in a fragment, or in a part of it that folds. */
export function isLineOfFragment(node: HtmlNode): boolean {
  if (node.tag !== 'div' || node.attributes.class === undefined || !hasClass(node, 'line')) return false
  const { parent } = node
  return parent !== undefined && /(?:^|\s)(?:fragment|foldopen)(?:\s|$)/.test(classOf(parent))
}

/** True for a line of code of gitweb: a `<div>` that begins with its number as a link. */
function isNumberedLine(tree: HtmlTree, node: HtmlNode): boolean {
  const first = tree.nodes[node.index + 1]
  return node.tag === 'div' && hasClass(node, 'pre') && first?.parent === node && hasClass(first, 'linenr')
}

/** True for the head of a row in a listing of Trac: the number of a line of code, which is also its anchor. */
export function isRowNumber({ tag, attributes }: HtmlNode): boolean {
  return tag === 'th' && /^L\d{1,7}$/.test(attributes.id ?? '')
}

/**
 * True for an element that contains code but is not a `<pre>`: the lines of an editor, a table with a line of code in
 * each row, and the code of programs that make each line a `<div>`.
 */
export function isListing(tree: HtmlTree, node: HtmlNode): boolean {
  const { tag, attributes } = node
  if (tag === 'div') {
    if (attributes.class === undefined && node.parent?.tag !== 'div') return false
    if (boxClasses.test(classOf(node))) return true
    const first = firstElement(tree, node)
    return first !== undefined && (isLineOfFragment(first) || isNumberedLine(tree, first))
  }
  if (tag !== 'table') return false
  const end = Math.min(node.end, node.index + FIRST_NODES)
  const isOfTrac = hasClass(node, 'code')
  for (let i = node.index + 1; i < end; i++) {
    const inner = tree.nodes[i]!
    if (cellClasses.test(classOf(inner)) || (isOfTrac && isRowNumber(inner))) return true
  }
  return false
}

/** Returns the first element inside a node; undefined if it has none, or text before it. */
function firstElement(tree: HtmlTree, node: HtmlNode): HtmlNode | undefined {
  let child = node.end > node.index + 1 ? tree.nodes[node.index + 1] : undefined
  if (child?.tag === '' && child.text.trim() === '') child = nextSibling(tree, child)
  return child?.tag === '' ? undefined : child
}
