import { isNamed, nameOf } from '../html/class-evidence.ts'
import { findByTag } from '../html/element-index.ts'
import { WordGroup } from '../html/element-name.ts'
import { isMathScript, isRenderedMath } from '../html/formulas.ts'
import type { HtmlNode, HtmlTree } from '../html/html-tree.ts'
import { measureText, type TextMeasure, visibleChars } from '../html/text-measure.ts'

/** A hidden part with this many times the prose of all visible parts is the content. A script will show it. */
const MIN_HIDDEN_TIMES = 3

/**
 * Drops scripts, styles and hidden parts, except for hidden parts that hold most of the text of the page.
 *
 * @returns the dropped nodes, by node index, and the text figures of the other nodes.
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
  // Some pages show their content with a script, and some forums have their posts in <noscript>.
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

/** True if one of the outermost hidden parts has more than `most` characters. */
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

/** Matches the ids of hidden parts that React sends at the end of the page. A script moves them to their place. */
const STREAMED = /^S:[0-9a-f]+$/
const disclosureWords = new WordGroup('accordion collapse collapsible faq')

/**
 * Matches styles that give an element no size or move it off the screen. It does not match `opacity`, because pages fade elements
 * in.
 */
const hidingStyle =
  /(?:^|;)(?:display:none|visibility:hidden|font-size:0(?:px|em|pt)?(?:;|!|$)|(?:left|top|right|margin-left):-\d{4,}(?:\.\d+)?(?:px|em|pt|%)?|clip:rect\((?:0(?:px)?|1px)[, ])/
const noHeight = /(?:^|;)(?:max-)?(?:height|width):0(?:px)?(?:;|!|$)/

function isHidden(node: HtmlNode): boolean {
  // A part that readers can unfold is content.
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

/** Drops only the elements whose text browsers never render. */
export function dropNeverRendered(tree: HtmlTree): Uint8Array {
  const dropped = new Uint8Array(tree.nodes.length)
  for (let i = 1; i < tree.nodes.length; i++) {
    if (tree.nodes[i]!.kind.isUnseen) dropped[i] = 1
  }
  return dropped
}
