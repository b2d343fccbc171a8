import { isContentName } from '../html/class-evidence.ts'
import { findByTag } from '../html/element-index.ts'
import type { HtmlNode, HtmlTree } from '../html/html-tree.ts'
import type { TextMeasure } from '../html/text-measure.ts'
import { type Article, MIN_ARTICLE_PROSE } from './article.ts'

/** Minimum share of prose in the text of a page that has an article. It does not apply if the page declares the article. */
const MIN_PROSE_SHARE = 0.35
/** Minimum share of the page's prose in an element that is a candidate for the article because of its name. */
const MIN_CANDIDATE_SHARE = 0.6
/** Minimum share of prose in the text of the article itself, if the page has little prose. */
const MIN_OWN_SHARE = 0.5

/** Returns the element with the article of a page; undefined if the page has no article. */
export function chooseArticle(
  tree: HtmlTree,
  kept: TextMeasure,
  body: HtmlNode,
  options: {
    /** True if the page is a thread. The element must then contain all posts. */
    isForum: boolean
    /**
     * True if the page has a publish date as articles have. Then even a page of mostly menus and teasers may have an
     * article.
     */
    mayBeArticle: boolean
    /** True if something other than the date shows that the page is an article. */
    isArticle: boolean
  },
): HtmlNode | undefined {
  const prose = kept.prose[body.index]!
  if (prose < MIN_ARTICLE_PROSE) return undefined
  const isSparse = prose < kept.chars[body.index]! * MIN_PROSE_SHARE
  if (isSparse && !options.mayBeArticle) return undefined
  const own = options.isForum ? undefined : articleOfHeading(tree, kept, prose)
  if (own) return narrow(tree, kept, own, { share: MOST, isArticle: options.isArticle })
  let start = body
  let best = 0
  for (const node of tree.nodes) {
    if (kept.prose[node.index]! < prose * (options.isForum ? ALL_POSTS : MIN_CANDIDATE_SHARE)) continue
    const named =
      node.tag === 'article' || node.tag === 'main' || node.attributes.role === 'main' || isContentName(node)
    if (!named) continue
    // Prefers elements with a high share of prose in their text, and with most of the page's prose.
    const value = kept.prose[node.index]! / kept.chars[node.index]! + kept.prose[node.index]! / prose
    if (value > best) {
      best = value
      start = node
    }
  }
  const article = narrow(tree, kept, start, { share: options.isForum ? ALL_POSTS : MOST, isArticle: options.isArticle })
  return isSparse && kept.prose[article.index]! < kept.chars[article.index]! * MIN_OWN_SHARE ? undefined : article
}

const MIN_OWN_PROSE = 400
const MIN_OTHER_ARTICLES = 3
const MAX_OTHER_SHARE = 0.6

/**
 * Returns the article of a page that has several articles, if it contains the page's only heading of level 1. The other
 * articles are stories to read next. Returns undefined if the article has most of the page's prose, because the usual
 * choice then finds it.
 */
function articleOfHeading(tree: HtmlTree, kept: TextMeasure, prose: number): HtmlNode | undefined {
  let [own, others, headings] = [undefined as HtmlNode | undefined, 0, 0]
  for (const node of findByTag(tree, 'article', 'h1')) {
    if (node.tag === 'article' && kept.prose[node.index]! > 0) others++
    if (node.tag !== 'h1' || kept.chars[node.index] === 0) continue
    if (++headings > 1) return undefined
    let up = node.parent
    while (up && up.tag !== 'article') up = up.parent
    own ??= up
  }
  if (!own || others - 1 < MIN_OTHER_ARTICLES) return undefined
  const { index: start, end } = own
  if (findByTag(tree, 'article').some(({ index }) => index > start && index < end && kept.prose[index]! > 0))
    return undefined
  const share = kept.prose[own.index]! / prose
  return kept.prose[own.index]! >= MIN_OWN_PROSE && share < MAX_OTHER_SHARE ? own : undefined
}

const MAX_LEAD_LINKS = 0.3
/** Minimum prose of an element that can be the lead, and maximum prose of a caption, byline or subtitle. */
const MIN_LEAD_PROSE = 200
const MAX_CAPTION_PROSE = 600

/**
 * Returns the elements with prose between the main heading and the article. They are the lead of a story, or the
 * question above its answers.
 */
export function leadOf({ tree, root: article, dropped, kept }: Article): HtmlNode[] {
  const headings = findByTag(tree, 'h1').filter(({ index }) => kept.chars[index]! > 0)
  if (headings.some(({ index }) => index >= article.index && index < article.end)) return []
  const heading = headings.findLast(({ index }) => index < article.index)
  if (!heading) return []
  const lead: HtmlNode[] = []
  let i = heading.end
  while (i < article.index) {
    const node = tree.nodes[i]!
    if (node.end > article.index && !dropped[i]) {
      i++
      continue
    }
    const prose = dropped[i] ? 0 : kept.prose[i]!
    const isLead = prose >= MIN_LEAD_PROSE && kept.linkChars[i]! < kept.chars[i]! * MAX_LEAD_LINKS
    if (isLead && !(prose < MAX_CAPTION_PROSE && holdsImage(tree, node))) lead.push(node)
    i = node.end
  }
  return lead
}

function holdsImage(tree: HtmlTree, node: HtmlNode): boolean {
  for (let i = node.index; i < node.end; i++) if (['img', 'figure', 'picture'].includes(tree.nodes[i]!.tag)) return true
  return false
}

/** Tags of elements that are not chosen as the article, even if they contain all of its text. */
const neverAlone = new Set(['', 'p', 'pre', 'blockquote', 'tbody', 'tr', 'ul', 'ol'])

/** The choice moves to a child element that has at least this share of the prose. */
const MOST = 0.9
/** The same share for a forum, where a question is short compared to its answers. */
const ALL_POSTS = 0.98

/** The same share for a dated article, if the text beside the child is mostly links. */
const MAX_BESIDE_LINKS = 0.6
/** {@link MAX_BESIDE_LINKS} applies if at least this share of the text beside the child is links. */
const MIN_LINKS_BESIDE = 0.5

/** Moves from an element to a child as long as one child has at least `share` of the prose. */
function narrow(
  tree: HtmlTree,
  kept: TextMeasure,
  start: HtmlNode,
  { share, isArticle }: { share: number; isArticle: boolean },
): HtmlNode {
  const { chars, linkChars, prose } = kept
  let node = start
  for (;;) {
    const { index } = node
    let next: HtmlNode | undefined
    for (let i = index + 1; i < node.end; i = tree.nodes[i]!.end) {
      if (neverAlone.has(tree.nodes[i]!.tag)) continue
      const isBesideLinks =
        isArticle && linkChars[index]! - linkChars[i]! >= (chars[index]! - chars[i]!) * MIN_LINKS_BESIDE
      if (prose[i]! >= prose[index]! * (isBesideLinks ? Math.min(share, MAX_BESIDE_LINKS) : share)) {
        next = tree.nodes[i]
        break
      }
    }
    if (!next) return node
    node = next
  }
}
