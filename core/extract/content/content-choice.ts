import { mainElements, tagged } from '../html/element-index.ts'
import type { HtmlNode, HtmlTree } from '../html/html-tree.ts'
import type { LinkResolver } from '../html/link-resolver.ts'
import { measureText, type TextMeasure } from '../html/text-measure.ts'
import type { Article } from './article.ts'
import { chooseArticle, leadOf } from './article-choice.ts'
import { dropAsideSections, dropLinkBlocks, dropTitle } from './article-trimming.ts'
import { dropAuthorNote } from './author-note.ts'
import { dropUnseen, dropUnwritable } from './hidden-parts.ts'
import { takeCaptions } from './image-captions.ts'
import { dropNextArticles } from './next-articles.ts'
import { dropChrome } from './page-chrome.ts'
import { dropRepeated } from './repeated-text.ts'
import { dropTeaserLists } from './teaser-lists.ts'
import { dropTeasers } from './teasers.ts'

export interface ContentChoice {
  /** In document order, none inside another. */
  roots: HtmlNode[]
  /** 1 for nodes left out with all they hold, by node index. */
  dropped: Uint8Array
  /** Captions of pictures, by the picture's node index; they are dropped where they stand. */
  captions: ReadonlyMap<number, string>
  /** `article`: one body of prose; `page`: everything but the chrome (listings, forums, products, home pages). */
  kind: 'article' | 'page'
}

/** All that a page shows, chrome and controls included; with `hidden` also what it hides. */
export function everything(tree: HtmlTree, options: { hidden: boolean }): ContentChoice {
  return {
    roots: [tree.root],
    dropped: options.hidden ? dropUnwritable(tree) : dropUnseen(tree).dropped,
    captions: new Map(),
    kind: 'page',
  }
}

export interface ContentOptions {
  /** The page is a thread of posts, all of them wanted. */
  forum: boolean
  /** Comments are content. */
  comments: boolean
  /** The page lists things, such as what a shop sells. */
  listing: boolean
  /** Short blocks with doubtful names are content, too: tabs of a product, tables of a manual. */
  shortBlocks: boolean
  /** Nothing says what kind of page it is. */
  unknown: boolean
  /** The page has a publish date, and nothing says that it is anything but an article. */
  story: boolean
  /** Empty when the page has none. */
  title: string
  /** Names, separated by commas; undefined if nobody signed the page. */
  author: string | undefined
}

/** Chooses what of a page is its content. */
export function chooseContent(
  tree: HtmlTree,
  { forum, comments, listing, shortBlocks, unknown, story, title, author }: ContentOptions,
  page: { resolver: LinkResolver; url: string },
): ContentChoice {
  const options = { forum, comments, lenient: shortBlocks }
  const { dropped: unseen, measure: all } = dropUnseen(tree)
  const dropped = dropChrome(tree, unseen, all, options)
  const kept = measureText(tree, dropped)
  const body = bodyOf(tree)
  const isArticle = story && !unknown
  const root = chooseArticle(tree, kept, body, { forum, story, isArticle })
  const whole = chooseMain(tree, kept, body)
  if (root && !isOutside(root, whole) && (isArticle || !isOneOfMany(kept, { article: root, whole, body, unknown }))) {
    const article: Article = { tree, root, dropped, kept }
    const roots = [...leadOf(article), root]
    if (isArticle) {
      dropNextArticles(article, title)
      dropTeasers(article, page)
      dropAuthorNote(article, author)
    }
    if (story) dropTeaserLists(article, { ...page, unseen, all })
    dropLinkBlocks(article, { keepPriced: listing })
    dropAsideSections(article)
    dropTitle(article, title)
    dropRepeated(tree, dropped, kept, roots)
    const captions = takeCaptions(tree, dropped, kept, roots)
    return { roots, dropped, captions, kind: 'article' }
  }
  // On a page of short blocks a card may well be called "teaser" or "latest".
  const lenient = shortBlocks ? dropped : dropChrome(tree, unseen, all, { ...options, lenient: true })
  const measure = shortBlocks ? kept : measureText(tree, lenient)
  const main = chooseMain(tree, measure, body)
  dropAsideSections({ tree, root: main, dropped: lenient, kept: measure })
  dropRepeated(tree, lenient, measure, [main])
  // What is called a caption here is the text of a card.
  return { roots: [main], dropped: lenient, captions: new Map(), kind: 'page' }
}

/** Prose in the footer of a page of short blocks is not its article. */
function isOutside(article: HtmlNode, main: HtmlNode): boolean {
  return article.end <= main.index || article.index >= main.end
}

const MAX_PROSE_SHARE = 0.62
const MAX_LINKS_BESIDE = 0.5
const MAX_PART = 0.7

/**
 * Whether short blocks that are no links stand beside the prose of a page with little of it: what a shop writes below its
 * list is not its article, nor is one block of a front page.
 */
function isOneOfMany(
  { prose, chars, linkChars }: TextMeasure,
  page: { article: HtmlNode; whole: HtmlNode; body: HtmlNode; unknown: boolean },
): boolean {
  const [article, whole, body] = [page.article.index, page.whole.index, page.body.index]
  if (prose[body] >= chars[body] * MAX_PROSE_SHARE) return false
  if (!page.unknown && chars[article] >= chars[whole] * MAX_PART) return false
  return linkChars[whole] - linkChars[article] <= (chars[whole] - chars[article]) * MAX_LINKS_BESIDE
}

function bodyOf(tree: HtmlTree): HtmlNode {
  return tagged(tree, 'body')[0] ?? tree.root
}

function chooseMain(tree: HtmlTree, kept: TextMeasure, body: HtmlNode): HtmlNode {
  let chosen = body
  for (const node of mainElements(tree)) {
    if (kept.chars[node.index] >= kept.chars[body.index] * 0.4) chosen = node
  }
  return chosen
}
