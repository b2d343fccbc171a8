import { findByTag, mainElements } from '../html/element-index.ts'
import type { HtmlNode, HtmlTree } from '../html/html-tree.ts'
import type { LinkResolver } from '../html/link-resolver.ts'
import { measureText, type TextMeasure } from '../html/text-measure.ts'
import type { Article } from './article.ts'
import { chooseArticle, leadOf } from './article-choice.ts'
import { dropAsideSections, dropLinkBlocks, dropTitle } from './article-trimming.ts'
import { dropAuthorNote } from './author-note.ts'
import { dropNeverRendered, dropUnseen } from './hidden-parts.ts'
import { takeCaptions } from './image-captions.ts'
import { dropNextArticles } from './next-articles.ts'
import { dropChrome } from './page-chrome.ts'
import { dropRepeated } from './repeated-text.ts'
import { dropTeaserLists } from './teaser-lists.ts'
import { dropTeasers } from './teasers.ts'

/** The parts of a page that are its content. */
export interface ContentChoice {
  /** The chosen elements in document order. None is inside another. */
  roots: HtmlNode[]
  /** For each node, the number of the rule that drops it with all its descendants; 0 if none does. */
  dropped: Uint8Array
  /** Captions of images, by node index of the image. The nodes of the captions themselves are dropped. */
  captions: ReadonlyMap<number, string>
}

/** Chooses all text of a page, including navigation and controls. With `hidden`, includes hidden text. */
export function chooseEverything(tree: HtmlTree, options: { hidden: boolean }): ContentChoice {
  return {
    roots: [tree.root],
    dropped: options.hidden ? dropNeverRendered(tree) : dropUnseen(tree).dropped,
    captions: new Map(),
  }
}

export interface ContentOptions {
  /** True if the page is a thread, whose posts are all content. */
  isForum: boolean
  /** True if comments are content. */
  keepsComments: boolean
  /** True if the page lists things, such as products. */
  isListing: boolean
  /**
   * True if short blocks with ambiguous names count as content, such as the tabs of a product or the tables of a
   * manual.
   */
  isLenient: boolean
  /** True if it is known what kind of page this is. */
  isOfKnownKind: boolean
  /** True if the page has a publish date, and nothing shows that it is not an article. */
  mayBeArticle: boolean
  /** Empty if the page has no title. */
  title: string
  /** Names separated by commas; undefined if the page names no author. */
  author: string | undefined
}

/**
 * Chooses the content of a page. If the page has an article, the article is the content. For other pages, such as
 * listings, products, forums and home pages, everything is content except navigation, controls and the like ("chrome").
 */
export function chooseContent(
  tree: HtmlTree,
  { isForum, keepsComments, isListing, isLenient, isOfKnownKind, mayBeArticle, title, author }: ContentOptions,
  page: { resolver: LinkResolver; url: string },
): ContentChoice {
  const options = { isForum, keepsComments, isLenient }
  const { dropped: unseen, measure: all } = dropUnseen(tree)
  const dropped = dropChrome(tree, unseen, all, options)
  const kept = measureText(tree, dropped)
  const body = bodyOf(tree)
  const isArticle = mayBeArticle && isOfKnownKind
  const root = chooseArticle(tree, kept, body, { isForum, mayBeArticle, isArticle })
  const whole = chooseMain(tree, kept, body)
  if (
    root &&
    !isOutside(root, whole) &&
    (isArticle || !isOneOfMany(kept, { article: root, whole, body, isOfKnownKind }))
  ) {
    const article: Article = { tree, root, dropped, kept }
    const roots = [...leadOf(article), root]
    if (isArticle) {
      dropNextArticles(article, title)
      dropTeasers(article, page)
      dropAuthorNote(article, author)
    }
    if (mayBeArticle) dropTeaserLists(article, { ...page, unseen, all })
    dropLinkBlocks(article, { keepPriced: isListing })
    dropAsideSections(article)
    dropTitle(article, title)
    dropRepeated(tree, dropped, kept, roots)
    const captions = takeCaptions(tree, dropped, kept, roots)
    return { roots, dropped, captions }
  }
  // A page of short blocks consists of cards. Their names may be "teaser" or "latest", so such names do not count.
  const rest = isLenient ? dropped : dropChrome(tree, unseen, all, { ...options, isLenient: true })
  const measure = isLenient ? kept : measureText(tree, rest)
  const main = chooseMain(tree, measure, body)
  dropAsideSections({ tree, root: main, dropped: rest, kept: measure })
  dropRepeated(tree, rest, measure, [main])
  // On a page of short blocks, a caption is the text of a card and stays.
  return { roots: [main], dropped: rest, captions: new Map() }
}

/** True if the chosen article is outside of the page's main element, for example in the footer. */
function isOutside(article: HtmlNode, main: HtmlNode): boolean {
  return article.end <= main.index || article.index >= main.end
}

const MAX_PROSE_SHARE = 0.62
const MAX_LINKS_BESIDE = 0.5
const MAX_PART = 0.7

/**
 * True if the page has little prose but many short blocks that are not links. The prose is then no article, but for
 * example the text below the products of a shop.
 */
function isOneOfMany(
  { prose, chars, linkChars }: TextMeasure,
  page: { article: HtmlNode; whole: HtmlNode; body: HtmlNode; isOfKnownKind: boolean },
): boolean {
  const [article, whole, body] = [page.article.index, page.whole.index, page.body.index]
  if (prose[body]! >= chars[body]! * MAX_PROSE_SHARE) return false
  if (page.isOfKnownKind && chars[article]! >= chars[whole]! * MAX_PART) return false
  return linkChars[whole]! - linkChars[article]! <= (chars[whole]! - chars[article]!) * MAX_LINKS_BESIDE
}

function bodyOf(tree: HtmlTree): HtmlNode {
  return findByTag(tree, 'body')[0] ?? tree.root
}

/** Minimum share of the page's text in the element that is declared as the main content. */
const MIN_MAIN_SHARE = 0.4

/**
 * Returns the last element that is declared as the main content and has at least {@link MIN_MAIN_SHARE} of the text.
 * If no element is like that, returns the body.
 */
function chooseMain(tree: HtmlTree, kept: TextMeasure, body: HtmlNode): HtmlNode {
  let chosen = body
  for (const node of mainElements(tree)) {
    if (kept.chars[node.index]! >= kept.chars[body.index]! * MIN_MAIN_SHARE) chosen = node
  }
  return chosen
}
