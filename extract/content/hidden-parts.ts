import { isNamed, nameOf } from '../html/class-evidence.ts'
import { isStreamed } from '../html/composed-tree.ts'
import { findByTag } from '../html/element-index.ts'
import { WordGroup } from '../html/element-name.ts'
import { isMathScript, isRenderedMath } from '../html/formulas.ts'
import { type HtmlNode, type HtmlTree, textOf } from '../html/html-tree.ts'
import { measureText, type TextMeasure, visibleChars } from '../html/text-measure.ts'
import { isCode } from './code-parts.ts'
import { NEVER_SHOWN, ruleNumber } from './dropping-rules.ts'

const HIDDEN = ruleNumber('hidden parts')

/** A hidden part is content if it has this many times the prose of all visible parts. A script will show it. */
const MIN_HIDDEN_TIMES = 3

/**
 * Drops scripts, styles and hidden parts. Keeps hidden parts that have most of the page's text.
 *
 * @returns for each node, the number of the rule that drops it, or 0; and the sizes of the text in the other nodes.
 */
export function dropUnseen(tree: HtmlTree): { dropped: Uint8Array; measure: TextMeasure } {
  const { nodes } = tree
  const unseen = new Uint8Array(nodes.length)
  const hidden: HtmlNode[] = []
  let codeEnd = 0
  const hasMathScripts = findByTag(tree, 'script').some(isMathScript)
  for (let i = 1; i < nodes.length; i++) {
    const node = nodes[i]!
    if (node.kind.isUnseen ? !isMathScript(node) && !isDrawing(tree, node) : hasMathScripts && isRenderedMath(node)) {
      unseen[i] = NEVER_SHOWN
      i = node.end - 1
    } else if (node.tag === 'noscript') hidden.push(node)
    else if (node.tag === '') continue
    else if (i < codeEnd ? isHiddenInCode(tree, node) : isHidden(tree, node)) hidden.push(node)
    else if (isCode(node)) codeEnd = node.end
  }
  const dropped = unseen.slice()
  for (const { index } of hidden) dropped[index] = HIDDEN
  const shown = measureText(tree, dropped)
  if (!hidesMuch(tree, hidden, unseen, shown.chars[0]! / 2)) return { dropped, measure: shown }
  // The visible text is too short to be all content. Some pages show their content by a script, and some forums have
  // posts in <noscript>.
  const withHidden = measureText(tree, unseen)
  const enough = Math.max(1, shown.prose[0]! * MIN_HIDDEN_TIMES)
  const wanted = hidden.filter(
    node =>
      !isDialog(node) && withHidden.prose[node.index]! > enough && withHidden.chars[node.index]! > shown.chars[0]! / 2,
  )
  if (wanted.length === 0) return { dropped, measure: shown }
  for (const { index } of wanted) dropped[index] = 0
  return { dropped, measure: measureText(tree, dropped) }
}

/** True if an outermost hidden part has more than `most` characters. */
function hidesMuch(tree: HtmlTree, hidden: readonly HtmlNode[], unseen: Uint8Array, most: number): boolean {
  let end = 0
  for (const part of hidden) {
    if (part.index < end) continue
    end = part.end
    let chars = 0
    for (let i = part.index + 1; i < end; i++) {
      if (unseen[i]) i = tree.nodes[i]!.end - 1
      else if (tree.nodes[i]!.tag === '') chars += visibleChars(tree.nodes[i]!)
    }
    if (chars > most) return true
  }
  return false
}

const dialogWords = new WordGroup('modal popup')

function isDialog(node: HtmlNode): boolean {
  return node.attributes.role === 'dialog' || isNamed(node, dialogWords)
}

const disclosureWords = new WordGroup('accordion collapse collapsible expand expandable expander faq spoiler')

/**
 * Matches styles by which an element has no size or is off the screen. `opacity` is not among them, because pages fade
 * in visible elements with it.
 */
const hidingStyle =
  /(?:^|;)(?:display:none|visibility:hidden|font-size:0(?:px|em|pt)?(?:;|!|$)|(?:left|top|right|margin-left):-\d{4,}(?:\.\d+)?(?:px|em|pt|%)?|clip:rect\((?:0(?:px)?|1px)[, ])/
const noHeight = /(?:^|;)(?:max-)?(?:height|width):0(?:px)?(?:;|!|$)/

/** Maximum size of a sign or number that is kept although the page hides it, from screen readers or from everybody. */
const MAX_SIGN_CHARS = 20
const MAX_SIGN_NODES = 8
/**
 * Matches a mark or a number without words, which the page hides only from screen readers. They read a copy in words instead: `yes` for
 * `✓`, `minus` for `−`.
 */
const shownSign = /^(?!.*\p{L})(?:.*[\p{N}✓✔✗✘☑☒★☆½±−≤≥≠≈].*|\s*[+<>=-]\s*)$/u
/** Matches a sign between numbers that the page hides because it shows the sign in another way, such as the bar of a fraction. */
const unseenSign = /^\s*[+/⁄]\s*$/

function isHidden(tree: HtmlTree, node: HtmlNode): boolean {
  // Parts that readers can unfold are content.
  const name = nameOf(node)
  if (disclosureWords.isIn(name)) return false
  const isHiding = name.isHiding && !unseenSign.test(signIn(tree, node))
  if (!node.isMarked) return isHiding
  const { hidden, style, role } = node.attributes
  if (role === 'tabpanel') return false
  if (hidden !== undefined && hidden !== 'until-found') return !isStreamed(node)
  if (isHiding || (style !== undefined && isHidingStyle(style))) return true
  // Editors show code in an element that screen readers leave out, behind the field in which it is typed.
  if (node.attributes['aria-hidden'] !== 'true' || node.tag === 'pre') return false
  return !shownSign.test(signIn(tree, node))
}

/** Returns the text of a small element; '' for others. */
function signIn(tree: HtmlTree, node: HtmlNode): string {
  if (node.end - node.index > MAX_SIGN_NODES) return ''
  const text = textOf(tree, node, MAX_SIGN_CHARS)
  return text.length > MAX_SIGN_CHARS ? '' : text
}

/**
 * Matches a line number or the prompt of a shell. `+` and `-` are not matched, because they say which lines of a diff were added or
 * removed.
 */
const lineMark = /^\s*(?:[\d\s.:|]*|\$|%|>{1,3}|\.{3})\s*$/

/**
 * True if an element in code is hidden. Its class does not count, because the classes in code are about its syntax.
 * `aria-hidden` only counts for line numbers and prompts, because editors also set it on code that is shown.
 */
export function isHiddenInCode(tree: HtmlTree, node: HtmlNode): boolean {
  if (!node.isMarked) return false
  const { hidden, style } = node.attributes
  if (hidden !== undefined && hidden !== 'until-found') return true
  if (style !== undefined && isHidingStyle(style)) return true
  return node.attributes['aria-hidden'] === 'true' && lineMark.test(textOf(tree, node, MAX_SIGN_CHARS))
}

function isHidingStyle(style: string): boolean {
  const plain = style.slice(0, 500).replace(/\s/g, '').toLowerCase()
  return hidingStyle.test(plain) || (noHeight.test(plain) && plain.includes('overflow:hidden'))
}

/** Maximum number of nodes of a drawing in which its texts are searched. */
const MAX_DRAWING_NODES = 20_000

/** True for a picture with words in it, such as a diagram. The name of an icon does not count. */
function isDrawing({ nodes }: HtmlTree, { tag, index, end }: HtmlNode): boolean {
  if (tag !== 'svg') return false
  for (let i = index + 1; i < Math.min(end, index + MAX_DRAWING_NODES); i++)
    if (nodes[i]!.tag === 'text' || nodes[i]!.tag === 'foreignobject') return true
  return false
}

/** Drops only elements that browsers never show as text, such as scripts. */
export function dropNeverRendered(tree: HtmlTree): Uint8Array {
  const dropped = new Uint8Array(tree.nodes.length)
  for (let i = 1; i < tree.nodes.length; i++) {
    const node = tree.nodes[i]!
    if (node.kind.isUnseen && !isDrawing(tree, node)) dropped[i] = NEVER_SHOWN
  }
  return dropped
}
