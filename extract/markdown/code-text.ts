import { isHiddenInCode } from '../content/hidden-parts.ts'
import { isListing, isRowNumber } from '../html/code-listings.ts'
import { type HtmlNode, type HtmlTree, nextSibling } from '../html/html-tree.ts'
import { isLowered, isRaised, scriptElement } from '../html/script-elements.ts'

/** Matches classes of line numbers in code listings, of highlighters and of editors. */
const gutterClasses =
  /(?:^|[\s_-])(?:line-?numbers?|line-?num|lineno|linenr|linenos|linenodiv|gutter|rouge-gutter|hljs-ln-n(?:umbers)?|blob-num|lnt?|lnlinks|crayon-nums?|select-none)(?:$|[\s_-])/i
/** Matches classes of elements that are one line of code. */
const lineClasses =
  /(?:^|\s)(?:line|code-?line|token-line|cm-line|view-line|crayon-line|CodeMirror-line|hljs-ln-line|react-code-line\S*|ec-line)(?:\s|$)/
const controls = new Set(['button', 'select', 'input', 'textarea', 'dialog'])
const MAX_CLASS_CHARS = 200
/** Maximum number of nodes and characters of a line number or a column of them. */
const MAX_GUTTER_NODES = 20_000

/** True for elements that are a line of code, however the page draws it. */
function isLine(node: HtmlNode): boolean {
  const { class: classes } = node.attributes
  if (node.tag === 'tr' || node.attributes['data-line'] !== undefined) return true
  return classes !== undefined && node.tag !== 'pre' && lineClasses.test(classes.slice(0, MAX_CLASS_CHARS))
}

function isBlockStyle({ isMarked, attributes: { style } }: HtmlNode): boolean {
  return (
    isMarked &&
    style !== undefined &&
    /(?:^|[;\s])display\s*:\s*(?:block|flex|grid|table-row)\b/i.test(style.slice(0, 500))
  )
}

/**
 * Returns the text of a code element as browsers show it: all white space kept, a line break for each `<br>` and after
 * each line that has an element of its own. Leaves out line numbers, controls and hidden parts. Names such as "comment"
 * mean nothing in code.
 */
export function codeText(tree: HtmlTree, root: HtmlNode): string {
  const parts: string[] = []
  const isBox = root.tag === 'div' || root.tag === 'table'
  let endsLine = true
  const open: { end: number; isLine: boolean; parts: number }[] = []
  const breakLine = () => {
    if (!endsLine) parts.push('\n')
    endsLine = true
  }
  const close = () => {
    const { isLine, parts: before } = open.pop()!
    // An empty line has a height of its own, so it is a line too.
    if (isLine && parts.length === before) {
      parts.push('\n')
      endsLine = true
    } else breakLine()
  }
  for (let i = root.index + 1; i < root.end; i++) {
    while (open.length > 0 && open[open.length - 1]!.end <= i) close()
    const node = tree.nodes[i]!
    if (node.tag === '') {
      // White space between the elements of lines is not part of the code.
      if (node.text === '' || (isBox && node.parent === root && node.text.trim() === '')) continue
      parts.push(node.text)
      endsLine = node.text.endsWith('\n')
    } else if (node.tag === 'br') {
      parts.push('\n')
      endsLine = true
    } else if (isLeftOut(tree, node)) i = node.end - 1
    else if (isRaised(node) || isLowered(node)) {
      const script = scriptElement(tree, node)
      if (script?.kind !== 'text') continue
      parts.push(script.text)
      endsLine = false
      i = script.end - 1
    } else {
      const line = isLine(node)
      const isBlock = (node.kind.isBlock && node.tag !== 'td' && node.tag !== 'th') || isBlockStyle(node)
      if (isBlock) breakLine()
      if (isBlock || (line && isBeforeLine(tree, node))) open.push({ end: node.end, isLine: line, parts: parts.length })
    }
  }
  while (open.length > 0) close()
  return parts
    .join('')
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n')
    .replaceAll('\u00a0', ' ')
    .replaceAll('\u200b', '')
}

/** True if another line follows directly, without a line break between. */
function isBeforeLine(tree: HtmlTree, line: HtmlNode): boolean {
  const next = tree.nodes[line.end]
  return next !== undefined && next.parent === line.parent && next.tag === line.tag && isLine(next)
}

function isLeftOut(tree: HtmlTree, node: HtmlNode): boolean {
  if (node.kind.isUnseen || controls.has(node.tag) || isRowNumber(node) || node.tag === 'thead') return true
  return isHiddenInCode(tree, node) || isGutter(tree, node)
}

/** True for a line number in code: an element that is named so, or that readers cannot select, and has only digits. */
function isGutter(tree: HtmlTree, node: HtmlNode): boolean {
  const { class: classes, style, 'data-line-number': number, 'data-line-numbers': numbers } = node.attributes
  const isNamed = classes !== undefined && gutterClasses.test(classes.slice(0, MAX_CLASS_CHARS))
  const isUnselectable = node.isMarked && style !== undefined && /user-select\s*:\s*none/i.test(style.slice(0, 500))
  if (!isNamed && !isUnselectable && number === undefined && numbers === undefined) return false
  return numbersIn(tree, node) !== undefined
}

/** True for a column of ascending numbers before code: a cell, a `<pre>`, or a `<div>` with a class of line numbers. */
export function isGutterColumn(tree: HtmlTree, node: HtmlNode): boolean {
  if (node.tag === 'div' && !gutterClasses.test(node.attributes.class?.slice(0, MAX_CLASS_CHARS) ?? '')) return false
  const next = nextSibling(tree, node)
  if (next === undefined || (next.tag !== node.tag && node.tag === 'td')) return false
  if (next.tag !== 'pre' && !hasPre(tree, next) && !hasListing(tree, next)) return false
  if (
    node.tag === 'td' &&
    !hasPre(tree, node) &&
    !gutterClasses.test(node.attributes.class?.slice(0, MAX_CLASS_CHARS) ?? '')
  )
    return false
  const numbers = numbersIn(tree, node)
  return numbers?.every((number, at) => at === 0 || number > numbers[at - 1]!) === true && numbers.length > 0
}

function hasPre(tree: HtmlTree, cell: HtmlNode): boolean {
  const end = Math.min(cell.end, cell.index + 6)
  for (let i = cell.index + 1; i < end; i++) if (tree.nodes[i]!.tag === 'pre') return true
  return false
}

function hasListing(tree: HtmlTree, cell: HtmlNode): boolean {
  const first = tree.nodes[cell.index + 1]
  return first !== undefined && first.parent === cell && isListing(tree, first)
}

/** Returns the numbers in an element; undefined if it has other text. */
function numbersIn(tree: HtmlTree, node: HtmlNode): number[] | undefined {
  const end = Math.min(node.end, node.index + MAX_GUTTER_NODES)
  const numbers: number[] = []
  for (let i = node.index + 1; i < end; i++) {
    const { tag, text } = tree.nodes[i]!
    if (tag !== '') continue
    if (!/^[\d\s.:|+\u00a0\u200b]*$/.test(text)) return undefined
    for (const [digits] of text.matchAll(/\d{1,9}/g)) numbers.push(Number(digits))
  }
  return end === node.end ? numbers : undefined
}

/**
 * Returns the declared language of a code block, from the block, its `<code>` element or its parent; '' if there is
 * none.
 */
export function codeLanguage(tree: HtmlTree, pre: HtmlNode): string {
  const first = tree.nodes[pre.index + 1]
  const candidates = [first?.parent === pre && first.tag === 'code' ? first : undefined, pre, pre.parent]
  for (const node of candidates) {
    if (!node) continue
    const { attributes } = node
    const named = attributes['data-language'] ?? attributes['data-lang'] ?? attributes.language ?? ''
    if (isLanguage(named)) return named.toLowerCase()
    const words = (attributes.class ?? '').slice(0, 500).split(/[\s;]+/)
    for (const [at, written] of words.entries()) {
      const word = written.toLowerCase()
      const next = words[at + 1] ?? ''
      if (word === 'brush:' && isLanguage(next)) return next.toLowerCase()
      const name =
        /^(?:language-|lang-|highlight-source-|highlight-text-|highlight-|sourcecode-|brush:)([\w+#.-]+)$/.exec(
          word,
        )?.[1]
      if (name !== undefined && isLanguage(name)) return name
    }
  }
  return ''
}

function isLanguage(name: string): boolean {
  return (
    /^[A-Za-z][\w+#.-]{0,19}$/.test(name) && !/^(?:none|plain|plaintext|text|default|highlight|wrapper)$/i.test(name)
  )
}
