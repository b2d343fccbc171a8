import { nameOf } from '../html/class-evidence.ts'
import { findByTag } from '../html/element-index.ts'
import { type HtmlNode, type HtmlTree, nextSibling } from '../html/html-tree.ts'
import { type LinkResolver, withoutFragment } from '../html/link-resolver.ts'
import type { TextMeasure } from '../html/text-measure.ts'
import type { Article } from './article.ts'
import { ruleNumber } from './dropping-rules.ts'

const TEASERS = ruleNumber('teasers')

/** Minimum prose that an article keeps. */
const MIN_OWN_PROSE = 250
const MIN_TEASERS = 2
/** Minimum share of teasers in a group of similar boxes that is dropped. */
const MIN_TEASER_SHARE = 0.8
/** Maximum average text of a box in a group that is dropped. Longer boxes are parts of the article, such as the entries of a ranking. */
const MAX_TEASER_CHARS = 900
const MAX_LEVELS = 6
const MAX_HEADING_CHARS = 60
const MIN_HEADING_LINK_SHARE = 0.7

/**
 * Drops teasers from an article: boxes that advertise other articles of the site. A teaser has a heading that links to
 * another page, and neighbors with the same tag, class and id. The short heading above a group of teasers is dropped
 * too. A box that links to a page below the article's own URL stays, because that page is a chapter of the article.
 */
export function dropTeasers(article: Article, page: { resolver: LinkResolver; url: string }): void {
  const { tree, dropped, kept, root } = article
  const teased = boxesOfTeasers(article, page)
  let prose = kept.prose[root.index]!
  for (const [parent, boxes] of teased) {
    if (boxes.size < MIN_TEASERS || isDropped(tree.nodes[parent]!, root, dropped)) continue
    let before: HtmlNode | undefined
    let run: HtmlNode[] = []
    const endRun = () => {
      const ofTeasers = run.filter(({ index }) => boxes.has(index)).length
      const length = run.reduce((sum, { index }) => sum + kept.chars[index]!, 0)
      const left = run.reduce((rest, { index }) => rest - kept.prose[index]!, prose)
      if (ofTeasers < MIN_TEASERS || ofTeasers < run.length * MIN_TEASER_SHARE) return
      if (length > run.length * MAX_TEASER_CHARS || left < MIN_OWN_PROSE) return
      prose = left
      for (const { index } of run) dropped[index] = TEASERS
      if (before && isShortHeading(tree, before, kept)) dropped[before.index] = TEASERS
    }
    for (let child = firstChild(tree, tree.nodes[parent]!); child; child = nextSibling(tree, child)) {
      if (dropped[child.index] || kept.chars[child.index] === 0) continue
      const [first] = run
      if (first && !hasShapeOf(child, first)) {
        endRun()
        before = run.at(-1)
        run = []
      }
      run.push(child)
    }
    endRun()
  }
}

/**
 * Returns the indexes of the elements with a heading that links to another article, grouped by the index of their
 * parent.
 */
function boxesOfTeasers(
  { tree, dropped, kept, root }: Article,
  page: { resolver: LinkResolver; url: string },
): Map<number, Set<number>> {
  const boxes = new Map<number, Set<number>>()
  for (const heading of findByTag(tree, 'h1', 'h2', 'h3', 'h4', 'h5', 'h6')) {
    if (heading.index <= root.index || heading.index >= root.end || dropped[heading.index]) continue
    const { index } = heading
    if (kept.chars[index] === 0 || kept.linkChars[index]! < kept.chars[index]! * MIN_HEADING_LINK_SHARE) continue
    if (!isOtherArticle(linkOf(tree, heading), page)) continue
    let child = heading
    for (let level = 0; level < MAX_LEVELS && child !== root; level++) {
      const parent = child.parent!
      const children = boxes.get(parent.index)
      if (children) children.add(child.index)
      else boxes.set(parent.index, new Set([child.index]))
      child = parent
    }
  }
  return boxes
}

/** Returns the `href` of the first link in a heading, or of the link around it. */
export function linkOf(tree: HtmlTree, heading: HtmlNode): string | undefined {
  for (let i = heading.index; i < heading.end; i++)
    if (tree.nodes[i]!.tag === 'a') return tree.nodes[i]!.attributes.href
  let up = heading.parent
  while (up && up.tag !== 'a') up = up.parent
  return up?.attributes.href
}

/** True if a link leads to another page of the site, unless that page is below the page's own URL. */
export function isOtherArticle(
  href: string | undefined,
  { resolver, url }: { resolver: LinkResolver; url: string },
): boolean {
  if (href === undefined || href.startsWith('#')) return false
  const resolved = resolver.resolve(href)
  if (resolved === undefined) return false
  const [other, own] = [withoutFragment(resolved), withoutFragment(url)]
  if (!isSameSite(hostOf(other), hostOf(own))) return false
  const folder = own.replace(/\?.*$/s, '').replace(/\/?$/, '/')
  return !`${other}/`.startsWith(folder)
}

function hostOf(url: string): string {
  return /^https?:\/\/(?:www\.)?([^/?#]*)/.exec(url)?.[1] ?? ''
}

function isSameSite(host: string, other: string): boolean {
  return host === other || host.endsWith(`.${other}`) || other.endsWith(`.${host}`)
}

/** True if two elements have the same tag, class and id. */
export function hasShapeOf(node: HtmlNode, other: HtmlNode): boolean {
  return node.tag !== '' && node.tag === other.tag && nameOf(node) === nameOf(other)
}

function isShortHeading(tree: HtmlTree, node: HtmlNode, kept: TextMeasure): boolean {
  if (kept.chars[node.index]! > MAX_HEADING_CHARS) return false
  for (let i = node.index; i < node.end; i++) if (tree.nodes[i]!.kind.isHeading) return true
  return false
}

function isDropped(node: HtmlNode, root: HtmlNode, dropped: Uint8Array): boolean {
  for (let up: HtmlNode | undefined = node; up && up !== root; up = up.parent) if (dropped[up.index]) return true
  return false
}

function firstChild(tree: HtmlTree, node: HtmlNode): HtmlNode | undefined {
  return node.end > node.index + 1 ? tree.nodes[node.index + 1] : undefined
}
