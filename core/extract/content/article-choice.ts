import { isContentName } from '../html/class-evidence.ts'
import { tagged } from '../html/element-index.ts'
import type { HtmlNode, HtmlTree } from '../html/html-tree.ts'
import type { TextMeasure } from '../html/text-measure.ts'
import type { Article } from './article.ts'

const MIN_PROSE = 250
/** A page with a smaller share of prose has no article, unless it says that it is one. */
const MIN_PROSE_SHARE = 0.35
/** Share of prose in the article of such a page. */
const MIN_OWN_SHARE = 0.5

/** The one element that holds a body of prose; `undefined` when the page has none. */
export function chooseArticle(
  tree: HtmlTree,
  kept: TextMeasure,
  body: HtmlNode,
  options: {
    /** Every post counts, not most of the prose. */
    forum: boolean
    /** The page is a dated article: it has a body of prose even if most of its text is menus and teasers. */
    story: boolean
    /** Something besides the date says that the page is an article. */
    isArticle: boolean
  },
): HtmlNode | undefined {
  const prose = kept.prose[body.index]
  if (prose < MIN_PROSE) return undefined
  const isSparse = prose < kept.chars[body.index] * MIN_PROSE_SHARE
  if (isSparse && !options.story) return undefined
  const own = options.forum ? undefined : articleOfHeading(tree, kept, prose)
  if (own) return narrow(tree, kept, own, { share: MOST, isArticle: options.isArticle })
  let start = body
  let best = 0
  for (const node of tree.nodes) {
    if (kept.prose[node.index] < prose * (options.forum ? ALL_POSTS : 0.6)) continue
    const named =
      node.tag === 'article' || node.tag === 'main' || node.attributes.role === 'main' || isContentName(node)
    if (!named) continue
    // The deepest of those that hold most of the prose.
    const value = kept.prose[node.index] / kept.chars[node.index] + kept.prose[node.index] / prose
    if (value > best) {
      best = value
      start = node
    }
  }
  const article = narrow(tree, kept, start, { share: options.forum ? ALL_POSTS : MOST, isArticle: options.isArticle })
  return isSparse && kept.prose[article.index] < kept.chars[article.index] * MIN_OWN_SHARE ? undefined : article
}

const MIN_OWN_PROSE = 400
const MIN_OTHER_ARTICLES = 3
const MAX_OTHER_SHARE = 0.6

/**
 * On a page with several articles, none of them most of its prose, the one that alone holds the heading of level 1: the
 * others are stories to read next.
 */
function articleOfHeading(tree: HtmlTree, kept: TextMeasure, prose: number): HtmlNode | undefined {
  let [own, others, headings] = [undefined as HtmlNode | undefined, 0, 0]
  for (const node of tagged(tree, 'article', 'h1')) {
    if (node.tag === 'article' && kept.prose[node.index] > 0) others++
    if (node.tag !== 'h1' || kept.chars[node.index] === 0) continue
    if (++headings > 1) return undefined
    let up = node.parent
    while (up && up.tag !== 'article') up = up.parent
    own ??= up
  }
  if (!own || others - 1 < MIN_OTHER_ARTICLES) return undefined
  const { index: start, end } = own
  if (tagged(tree, 'article').some(({ index }) => index > start && index < end && kept.prose[index] > 0))
    return undefined
  const share = kept.prose[own.index] / prose
  return kept.prose[own.index] >= MIN_OWN_PROSE && share < MAX_OTHER_SHARE ? own : undefined
}

const MAX_LEAD_LINKS = 0.3
/** Less is a caption, a byline or a subtitle. */
const MIN_LEAD_PROSE = 200
const MAX_CAPTION_PROSE = 600

/** Prose between the main heading and the article: the lead of a story, the question above its answers. */
export function leadOf({ tree, root: article, dropped, kept }: Article): HtmlNode[] {
  const headings = tagged(tree, 'h1').filter(({ index }) => kept.chars[index] > 0)
  if (headings.some(({ index }) => index >= article.index && index < article.end)) return []
  const heading = headings.findLast(({ index }) => index < article.index)
  if (!heading) return []
  const lead: HtmlNode[] = []
  let i = heading.end
  while (i < article.index) {
    const node = tree.nodes[i]
    if (node.end > article.index && !dropped[i]) {
      i++
      continue
    }
    const prose = dropped[i] ? 0 : kept.prose[i]
    const isLead = prose >= MIN_LEAD_PROSE && kept.linkChars[i] < kept.chars[i] * MAX_LEAD_LINKS
    if (isLead && !(prose < MAX_CAPTION_PROSE && holdsImage(tree, node))) lead.push(node)
    i = node.end
  }
  return lead
}

function holdsImage(tree: HtmlTree, node: HtmlNode): boolean {
  for (let i = node.index; i < node.end; i++) if (['img', 'figure', 'picture'].includes(tree.nodes[i].tag)) return true
  return false
}

/** What stands in an article, however much of its text it holds. */
const neverAlone = new Set(['', 'p', 'pre', 'blockquote', 'tbody', 'tr', 'ul', 'ol'])

/** Share of an article's prose that the element holds to which it is narrowed. */
const MOST = 0.9
/** A question is short beside its answers. */
const ALL_POSTS = 0.98

/** Share of the prose of a dated article that the element holds to which it is narrowed if links stand beside it. */
const MOST_BESIDE_LINKS = 0.6
const MIN_LINKS_BESIDE = 0.5

/** Goes down as long as one child holds such a share of the prose. */
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
    for (let i = index + 1; i < node.end; i = tree.nodes[i].end) {
      if (neverAlone.has(tree.nodes[i].tag)) continue
      const isBesideLinks = isArticle && linkChars[index] - linkChars[i] >= (chars[index] - chars[i]) * MIN_LINKS_BESIDE
      if (prose[i] >= prose[index] * (isBesideLinks ? Math.min(share, MOST_BESIDE_LINKS) : share)) {
        next = tree.nodes[i]
        break
      }
    }
    if (!next) return node
    node = next
  }
}
