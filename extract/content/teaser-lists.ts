import type { HtmlNode, HtmlTree } from '../html/html-tree.ts'
import type { LinkResolver } from '../html/link-resolver.ts'
import type { TextMeasure } from '../html/text-measure.ts'
import type { Article } from './article.ts'
import { ruleNumber } from './dropping-rules.ts'
import { isOtherArticle, linkOf } from './teasers.ts'

const TEASERS = ruleNumber('teasers')

/** Minimum prose of an article before the first list of teasers, UTF-16 units. */
const MIN_PROSE_BEFORE = 250
/** Minimum share of its prose that an article keeps. */
const MIN_SHARE_LEFT = 0.35
const MIN_HEADLINES = 2
/**
 * Maximum prose before the first headline in a list of teasers, UTF-16 units. An element with more is not a list, but
 * may contain one.
 */
const MAX_INTRODUCTION = 150
/** Maximum prose after the headline of a teaser, UTF-16 units. With more prose, the headline is that of an article. */
const MAX_PROSE_OF_TEASER = 500

/**
 * Drops lists of other articles after the text of an article. Such a list is a box with headlines that link to other pages of the site,
 * with little prose after each. A headline counts even if it was dropped as navigation, because the prose after it was not dropped.
 *
 * @param page.unseen - for each node, 1 if readers never see it.
 * @param page.all - sizes of the text in each node that readers see.
 */
export function dropTeaserLists(
  { tree, dropped, kept, root }: Article,
  page: { resolver: LinkResolver; url: string; unseen: Uint8Array; all: TextMeasure },
): void {
  const headlines = headlinesIn(tree, root, page)
  if (headlines.length < MIN_HEADLINES) return
  const headlinesBefore = countsBefore(headlines, root.end)
  const proseBefore = proseBeforeNodes(tree, kept, root)
  const longs = headlines.map(
    (at, i) => proseBefore[headlines[i + 1]! ?? root.end]! - proseBefore[at]! > MAX_PROSE_OF_TEASER,
  )
  // For each headline, the index of the next headline with too much prose after it for a teaser.
  const nextLong = new Int32Array(longs.length + 1).fill(longs.length)
  for (let i = longs.length - 1; i >= 0; i--) nextLong[i] = longs[i] ? i : nextLong[i + 1]!
  let before = 0
  let rest = kept.prose[root.index]!
  const least = rest * MIN_SHARE_LEFT
  const lists: number[] = []
  for (let i = root.index + 1; i < root.end; i++) {
    const node = tree.nodes[i]!
    if (dropped[i] || node.tag === '' || kept.prose[i] === 0) {
      i = node.end - 1
      continue
    }
    const from = headlinesBefore[i]!
    const last = headlinesBefore[node.end]! - 1
    const isList =
      before >= MIN_PROSE_BEFORE &&
      last - from + 1 >= MIN_HEADLINES &&
      proseBefore[headlines[from]!]! - proseBefore[i]! <= MAX_INTRODUCTION &&
      nextLong[from]! >= last &&
      proseBefore[node.end]! - proseBefore[headlines[last]!]! <= MAX_PROSE_OF_TEASER
    if (isList) {
      rest -= kept.prose[i]!
      lists.push(i)
    } else if (last >= from) continue
    before += kept.prose[i]!
    i = node.end - 1
  }
  if (rest < least) return
  for (const index of lists) dropped[index] = TEASERS
}

/** Minimum length of a headline. Shorter links are names of sections, tags or authors. */
const MIN_HEADLINE_CHARS = 20
const MAX_HEADLINE_CHARS = 250
const MIN_LINK_SHARE = 0.8
/** Elements of lists and tables, whose links may be references of the article. */
const cells = new Set(['li', 'ul', 'ol', 'dt', 'dd', 'dl', 'td', 'th', 'tr', 'tbody', 'table'])

/** Returns the indexes of the outermost blocks that are one link to another page of the site, in document order. */
function headlinesIn(
  tree: HtmlTree,
  root: HtmlNode,
  page: { resolver: LinkResolver; url: string; unseen: Uint8Array; all: TextMeasure },
): number[] {
  const { chars, linkChars } = page.all
  const found: number[] = []
  for (let i = root.index + 1; i < root.end; i++) {
    const node = tree.nodes[i]!
    if (page.unseen[i] || linkChars[i] === 0) {
      i = node.end - 1
      continue
    }
    if (!node.kind.isBlock || chars[i]! < MIN_HEADLINE_CHARS || chars[i]! > MAX_HEADLINE_CHARS) continue
    if (linkChars[i]! < chars[i]! * MIN_LINK_SHARE) continue
    if (!cells.has(node.tag) && isOtherArticle(linkOf(tree, node), page)) found.push(i)
    i = node.end - 1
  }
  return found
}

/**
 * Counts the headlines before each node.
 *
 * @returns the counts by node index, up to `end`.
 */
function countsBefore(headlines: readonly number[], end: number): Uint32Array {
  const counts = new Uint32Array(end + 1)
  let before = 0
  for (let i = 0; i <= end; i++) {
    counts[i] = before
    if (headlines[before] === i) before++
  }
  return counts
}

/**
 * Counts the prose before each node of an article, in UTF-16 units from the start of `root`.
 *
 * @returns the counts by node index. The entry at `root.end` is the total.
 */
function proseBeforeNodes(tree: HtmlTree, { prose }: TextMeasure, root: HtmlNode): Float64Array {
  const own = new Float64Array(root.end + 1)
  for (let i = root.end - 1; i >= root.index; i--) {
    if (prose[i] === 0) continue
    own[i]! += prose[i]!
    if (i > root.index) own[tree.nodes[i]!.parent!.index]! -= prose[i]!
  }
  let sum = 0
  for (let i = root.index; i <= root.end; i++) {
    const here = own[i]!
    own[i] = sum
    sum += here
  }
  return own
}
