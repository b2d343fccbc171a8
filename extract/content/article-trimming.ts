import { evidenceOf } from '../html/class-evidence.ts'
import { findByTag } from '../html/element-index.ts'
import { type HtmlNode, type HtmlTree, headingIn, nextSibling, textOf } from '../html/html-tree.ts'
import type { TextMeasure } from '../html/text-measure.ts'
import type { Article } from './article.ts'
import { isAsideHeading } from './aside-headings.ts'
import { isCode } from './code-parts.ts'
import { ruleNumber } from './dropping-rules.ts'

const [LINKS, ASIDES, TITLE] = [
  ruleNumber('lists of links'),
  ruleNumber('headings of asides'),
  ruleNumber('repeated title'),
]

const linkBoxes = new Set(['ul', 'ol', 'div', 'section', 'dl'])
/** Minimum length of a link that counts as the headline of another story, because the link is the whole paragraph. */
const MIN_PROMOTED_CHARS = 25

const MAX_PRICED_CHARS = 1000
const price = /[$€£¥₹]\s?\d|\d\s?(?:[€₹]|zł|kr\b|EUR\b|CHF\b)/

/**
 * Drops lists of links from an article, because they lead to other pages.
 *
 * @param options.keepPriced - true if lists with prices are kept, because the page lists products.
 */
export function dropLinkBlocks({ tree, dropped, kept, root }: Article, { keepPriced }: { keepPriced: boolean }): void {
  for (let i = root.index + 1; i < root.end; i++) {
    const node = tree.nodes[i]!
    if (dropped[i] || isCode(node)) {
      i = node.end - 1
      continue
    }
    const chars = kept.chars[i]!
    if (!linkBoxes.has(node.tag) && !(node.tag === 'p' && chars >= MIN_PROMOTED_CHARS)) continue
    if (chars === 0 || kept.prose[i]! > 0 || kept.linkChars[i]! / chars < 0.75) continue
    if (holdsListing(tree, node)) continue
    if (keepPriced && price.test(textOf(tree, node, MAX_PRICED_CHARS))) continue
    dropped[i] = LINKS
    i = node.end - 1
  }
}

/** True if a box contains a listing of code. The links there belong to the article: they lead to what the code names. */
function holdsListing(tree: HtmlTree, box: HtmlNode): boolean {
  for (let i = box.index; i < box.end; i++) if (tree.nodes[i]!.tag === 'pre') return true
  return false
}

const MAX_HEADING_CHARS = 60
const MAX_HEADING_NODES = 12

/**
 * Drops the parts of an article under headings such as "Related stories", each up to the next heading of the same
 * level.
 */
export function dropAsideSections({ tree, dropped, kept, root }: Article): void {
  const limit = kept.prose[root.index]! * 0.3
  for (let i = root.index + 1; i < root.end; i++) {
    const node = tree.nodes[i]!
    if (dropped[i] || isCode(node)) {
      i = node.end - 1
      continue
    }
    const chars = kept.chars[i]!
    if (chars === 0 || !node.kind.isBlock) continue
    if (isLabeledLink(tree, node, kept)) {
      dropped[i] = ASIDES
      i = node.end - 1
      continue
    }
    if (chars > MAX_HEADING_CHARS || node.end - node.index > MAX_HEADING_NODES) continue
    if (!isAsideHeading(textOf(tree, node, MAX_HEADING_CHARS * 2))) continue
    const level = headingIn(tree, node)?.tag
    const isDropped =
      level === undefined
        ? dropFollowingLinks(tree, dropped, kept, node) || !cells.has(node.tag)
        : dropFollowing({ tree, dropped, kept, root }, node, limit, level)
    if (isDropped) dropped[i] = ASIDES
    i = node.end - 1
  }
}

const MAX_LABELED_CHARS = 250
const MAX_LABELED_NODES = 30

/** True for a paragraph of a label and a link, such as `Read more: Another story`. */
function isLabeledLink(tree: HtmlTree, node: HtmlNode, kept: TextMeasure): boolean {
  const { index, end } = node
  const links = kept.linkChars[index]!
  if (links === 0 || links < kept.chars[index]! * 0.4 || kept.chars[index]! > MAX_LABELED_CHARS) return false
  if (end - index > MAX_LABELED_NODES) return false
  const text = textOf(tree, node, MAX_LABELED_CHARS)
  const colon = text.search(/[:：|]/)
  return colon > 0 && colon < 30 && isAsideHeading(text.slice(0, colon))
}

/** Elements whose text belongs to what is beside or below them, such as the name of a column. */
const cells = new Set(['td', 'th', 'dt', 'dd', 'li', 'caption', 'summary', 'figcaption'])

/** Drops the blocks of links after a label such as "More stories" that is not a heading. Returns true if any block was dropped. */
function dropFollowingLinks(tree: HtmlTree, dropped: Uint8Array, kept: TextMeasure, label: HtmlNode): boolean {
  let hasDropped = false
  for (let next = nextSibling(tree, label); next; next = nextSibling(tree, next)) {
    const chars = kept.chars[next.index]!
    if (chars === 0) continue
    if (kept.linkChars[next.index]! < chars * 0.4 || beginsPart(tree, kept, next)) break
    dropped[next.index] = ASIDES
    hasDropped = true
  }
  return hasDropped
}

/**
 * Drops the siblings after a heading, up to the next heading of the same or a higher level.
 *
 * @returns false if the heading and what follows belong to the article.
 */
function dropFollowing(
  { tree, dropped, kept, root }: Article,
  heading: HtmlNode,
  limit: number,
  level: string,
): boolean {
  const following: HtmlNode[] = []
  let prose = 0
  for (let next = nextSibling(tree, heading); next; next = nextSibling(tree, next)) {
    if (beginsPart(tree, kept, next, level)) break
    prose += kept.prose[next.index]!
    // With this much prose under it, or with code, the heading belongs to the article.
    if (prose > limit || holdsListing(tree, next)) return false
    following.push(next)
  }
  if (hasSentence(tree, dropped, following) && !isShownAsAside(tree, kept, root, heading, following)) return false
  for (const { index } of following) dropped[index] = ASIDES
  return true
}

/** Minimum share of links in a section that leads to other pages. */
const MIN_ASIDE_LINKS = 0.3
/** Maximum number of ancestors of a heading whose tags and names may show that the section is an aside. */
const MAX_NAMED_LEVELS = 3
const controls = new Set(['button', 'form', 'input', 'select', 'textarea', 'iframe', 'time'])

/**
 * True if a section looks like an aside: it has links or controls, or a box in it or around it is named as an aside. The heading alone does
 * not show this, because sections of a manual may be called "Comments" or "Tags" too.
 */
function isShownAsAside(
  tree: HtmlTree,
  kept: TextMeasure,
  root: HtmlNode,
  heading: HtmlNode,
  following: readonly HtmlNode[],
): boolean {
  let chars = 0
  let linkChars = 0
  for (const { index } of following) {
    chars += kept.chars[index]!
    linkChars += kept.linkChars[index]!
  }
  if (linkChars >= chars * MIN_ASIDE_LINKS) return true
  let box = heading.parent
  for (let level = 0; level < MAX_NAMED_LEVELS && box && box.index > root.index; level++, box = box.parent)
    if (isNamedAside(box)) return true
  return following.some(({ index, end }) => {
    for (let i = index; i < end; i++) {
      const node = tree.nodes[i]!
      if (controls.has(node.tag) || (node.kind.isBlock && isNamedAside(node))) return true
    }
    return false
  })
}

function isNamedAside(node: HtmlNode): boolean {
  const evidence = evidenceOf(node)
  return node.tag === 'aside' || evidence === 'chrome' || evidence === 'weak-chrome' || evidence === 'comments'
}

/** True if a section has a text that ends as sentences do. */
function hasSentence(tree: HtmlTree, dropped: Uint8Array, section: readonly HtmlNode[]): boolean {
  return section.some(({ index, end }) => {
    for (let i = index; i < end; i++) {
      if (dropped[i]) i = tree.nodes[i]!.end - 1
      else if (/[^.!?\s][.!?:。！？।][)"'”’»]?\s*$/u.test(tree.nodes[i]!.text.slice(-200))) return true
    }
    return false
  })
}

/**
 * True if a box is, or contains, a heading of the given level or a higher one. The headline of a teaser, which is a link, does not count.
 */
function beginsPart(tree: HtmlTree, kept: TextMeasure, box: HtmlNode, level = 'h6'): boolean {
  for (let i = box.index; i < box.end; i++) {
    const { tag, kind } = tree.nodes[i]!
    if (kind.isHeading && tag <= level && kept.linkChars[i]! < kept.chars[i]! * MIN_HEADLINE_LINKS) return true
  }
  return false
}

const MIN_HEADLINE_LINKS = 0.7

/** Drops the first heading of an article if it repeats the title of the page. */
export function dropTitle({ tree, dropped, root }: Article, title: string): void {
  if (title === '') return
  const heading = findByTag(tree, 'h1').find(({ index }) => index >= root.index && index < root.end)
  if (heading && textOf(tree, heading, 600) === title) dropped[heading.index] = TITLE
}
