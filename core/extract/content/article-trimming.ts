import { tagged } from '../html/element-index.ts'
import { type HtmlNode, type HtmlTree, nextSibling, textOf } from '../html/html-tree.ts'
import type { TextMeasure } from '../html/text-measure.ts'
import type { Article } from './article.ts'
import { isAsideHeading } from './aside-headings.ts'

const linkBoxes = new Set(['ul', 'ol', 'div', 'section', 'dl'])
/** A paragraph that is one link promotes another story, if it is long enough for a headline. */
const MIN_PROMOTED_CHARS = 25

const MAX_PRICED_CHARS = 1000
const price = /[$€£¥₹]\s?\d|\d\s?(?:[€₹]|zł|kr\b|EUR\b|CHF\b)/

/** Inside an article, lists of links are about other pages; on a page that lists things they may be the things, with prices. */
export function dropLinkBlocks({ tree, dropped, kept, root }: Article, { keepPriced }: { keepPriced: boolean }): void {
  for (let i = root.index + 1; i < root.end; i++) {
    const node = tree.nodes[i]
    if (dropped[i]) {
      i = node.end - 1
      continue
    }
    const chars = kept.chars[i]
    if (!linkBoxes.has(node.tag) && !(node.tag === 'p' && chars >= MIN_PROMOTED_CHARS)) continue
    if (chars === 0 || kept.prose[i] > 0 || kept.linkChars[i] / chars < 0.75) continue
    if (keepPriced && price.test(textOf(tree, node, MAX_PRICED_CHARS))) continue
    dropped[i] = 1
    i = node.end - 1
  }
}

const MAX_HEADING_CHARS = 60
const MAX_HEADING_NODES = 12

/** Inside an article, what follows a heading like "Related stories", up to the next heading beside it. */
export function dropAsideSections({ tree, dropped, kept, root }: Article): void {
  const limit = kept.prose[root.index] * 0.3
  for (let i = root.index + 1; i < root.end; i++) {
    const node = tree.nodes[i]
    if (dropped[i]) {
      i = node.end - 1
      continue
    }
    const chars = kept.chars[i]
    if (chars === 0 || !node.kind.isBlock) continue
    if (isLabelledLink(tree, node, kept)) {
      dropped[i] = 1
      i = node.end - 1
      continue
    }
    if (chars > MAX_HEADING_CHARS || node.end - node.index > MAX_HEADING_NODES) continue
    if (!isAsideHeading(textOf(tree, node, MAX_HEADING_CHARS * 2))) continue
    dropped[i] = 1
    const level = headingLevel(tree, node)
    if (level !== undefined) dropFollowing(tree, dropped, kept, node, limit, level)
    else dropFollowingLinks(tree, dropped, kept, node)
    i = node.end - 1
  }
}

const MAX_LABELLED_CHARS = 250
const MAX_LABELLED_NODES = 30

/** `Read more: Another story`, in a paragraph of its own. */
function isLabelledLink(tree: HtmlTree, node: HtmlNode, kept: TextMeasure): boolean {
  const { index, end } = node
  const links = kept.linkChars[index]
  if (links === 0 || links < kept.chars[index] * 0.4 || kept.chars[index] > MAX_LABELLED_CHARS) return false
  if (end - index > MAX_LABELLED_NODES) return false
  const text = textOf(tree, node, MAX_LABELLED_CHARS)
  const colon = text.search(/[:：|]/)
  return colon > 0 && colon < 30 && isAsideHeading(text.slice(0, colon))
}

/** What follows a label like "More stories" that is no heading: blocks of links, up to the first of another kind. */
function dropFollowingLinks(tree: HtmlTree, dropped: Uint8Array, kept: TextMeasure, label: HtmlNode): void {
  for (let next = nextSibling(tree, label); next; next = nextSibling(tree, next)) {
    const chars = kept.chars[next.index]
    if (chars === 0) continue
    if (next.kind.isHeading || kept.linkChars[next.index] < chars * 0.4) return
    dropped[next.index] = 1
  }
}

/** The tag of a heading, or of the one that a small box holds. */
function headingLevel(tree: HtmlTree, box: HtmlNode): string | undefined {
  for (let i = box.index; i < box.end; i++) if (tree.nodes[i].kind.isHeading) return tree.nodes[i].tag
  return undefined
}

function dropFollowing(
  tree: HtmlTree,
  dropped: Uint8Array,
  kept: TextMeasure,
  heading: HtmlNode,
  limit: number,
  level: string,
): void {
  const following: number[] = []
  let prose = 0
  for (let next = nextSibling(tree, heading); next; next = nextSibling(tree, next)) {
    if (next.kind.isHeading && next.tag <= level) break
    prose += kept.prose[next.index]
    // So much prose under it means that the heading announces content after all.
    if (prose > limit) return
    following.push(next.index)
  }
  for (const index of following) dropped[index] = 1
}

/** The title stands in its own field; as the article's first heading it would only repeat. */
export function dropTitle({ tree, dropped, root }: Article, title: string): void {
  if (title === '') return
  const heading = tagged(tree, 'h1').find(({ index }) => index >= root.index && index < root.end)
  if (heading && textOf(tree, heading, 600) === title) dropped[heading.index] = 1
}
