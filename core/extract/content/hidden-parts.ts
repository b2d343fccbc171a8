import { isNamed, nameOf } from '../html/class-evidence.ts'
import { findByTag } from '../html/element-index.ts'
import { WordGroup } from '../html/element-name.ts'
import { isMathScript, isRenderedMath } from '../html/formulas.ts'
import type { HtmlNode, HtmlTree } from '../html/html-tree.ts'
import { measureText, type TextMeasure, visibleChars } from '../html/text-measure.ts'

/** A hidden part is content if it has this many times the prose of all visible parts. A script will show it. */
const MIN_HIDDEN_TIMES = 3

/**
 * Drops scripts, styles and hidden parts. Keeps hidden parts that have most of the page's text.
 *
 * @returns for each node, 1 if it is dropped; and the sizes of the text in the other nodes.
 */
export function dropUnseen(tree: HtmlTree): { dropped: Uint8Array; measure: TextMeasure } {
  const { nodes } = tree
  const unseen = new Uint8Array(nodes.length)
  const hidden: HtmlNode[] = []
  const hasMathScripts = findByTag(tree, 'script').some(isMathScript)
  for (let i = 1; i < nodes.length; i++) {
    const node = nodes[i]!
    if (node.kind.isUnseen ? !isMathScript(node) : hasMathScripts && isRenderedMath(node)) {
      unseen[i] = 1
      i = node.end - 1
    } else if (node.tag === 'noscript' || (node.tag !== '' && isHidden(node))) hidden.push(node)
  }
  const dropped = unseen.slice()
  for (const { index } of hidden) dropped[index] = 1
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

/** Matches ids of the hidden parts that React sends at the end of a page. A script then moves them to their place. */
const STREAMED = /^S:[0-9a-f]+$/
const disclosureWords = new WordGroup('accordion collapse collapsible faq')

/**
 * Matches styles by which an element has no size or is off the screen. `opacity` is not among them, because pages fade
 * in visible elements with it.
 */
const hidingStyle =
  /(?:^|;)(?:display:none|visibility:hidden|font-size:0(?:px|em|pt)?(?:;|!|$)|(?:left|top|right|margin-left):-\d{4,}(?:\.\d+)?(?:px|em|pt|%)?|clip:rect\((?:0(?:px)?|1px)[, ])/
const noHeight = /(?:^|;)(?:max-)?(?:height|width):0(?:px)?(?:;|!|$)/

function isHidden(node: HtmlNode): boolean {
  // Parts that readers can unfold are content.
  const name = nameOf(node)
  if (disclosureWords.isIn(name)) return false
  if (!node.isMarked) return name.isHiding
  const { hidden, id, style, role } = node.attributes
  if (role === 'tabpanel') return false
  if (hidden !== undefined && hidden !== 'until-found') return !STREAMED.test(id?.slice(0, 20) ?? '')
  return name.isHiding || (style !== undefined && isHidingStyle(style)) || node.attributes['aria-hidden'] === 'true'
}

function isHidingStyle(style: string): boolean {
  const plain = style.slice(0, 500).replace(/\s/g, '').toLowerCase()
  return hidingStyle.test(plain) || (noHeight.test(plain) && plain.includes('overflow:hidden'))
}

/** Drops only elements that browsers never show as text, such as scripts. */
export function dropNeverRendered(tree: HtmlTree): Uint8Array {
  const dropped = new Uint8Array(tree.nodes.length)
  for (let i = 1; i < tree.nodes.length; i++) {
    if (tree.nodes[i]!.kind.isUnseen) dropped[i] = 1
  }
  return dropped
}
