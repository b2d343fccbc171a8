import { findByAttribute, findByTag, mergeInPageOrder } from '../html/element-index.ts'
import type { HtmlTree } from '../html/html-tree.ts'
import type { PageKind, StructuredItem } from '../page.ts'
import { typesOf } from '../structured/json-ld.ts'
import type { PageMetadata } from '../structured/page-metadata.ts'

/** For each kind of page, the schema.org types that declare it. The first match decides. */
const kindsByType: readonly [PageKind, RegExp][] = [
  ['forum', /^(?:DiscussionForumPosting|QAPage)$/],
  ['listing', /^(?:CollectionPage|SearchResultsPage|ItemList|OfferCatalog)$/],
  ['product', /^(?:Product|ProductGroup|ProductModel|IndividualProduct|Vehicle|Car)$/],
  ['docs', /^(?:TechArticle|APIReference)$/],
  ['article', /^(?:\w*Article|BlogPosting|LiveBlogPosting|SocialMediaPosting|Report|Review|Recipe|HowTo)$/],
]
/** Minimum number of items of one kind, such as products, that make a page a listing. */
const MANY = 3
/** Maximum number of items that are read. Those that describe the page come early. */
const MAX_ITEMS = 50

/** Returns the kind of page that structured data declares; undefined if there is none. */
export function kindOfData(items: readonly StructuredItem[]): PageKind | undefined {
  return kindOfTypes(items.slice(0, MAX_ITEMS).map(typesOf))
}

function kindOfTypes(types: readonly (readonly string[])[]): PageKind | undefined {
  for (const [kind, names] of kindsByType) {
    const items = types.filter(some => some.some(type => names.test(type))).length
    if (items > 0) return items >= MANY && (kind === 'product' || kind === 'article') ? 'listing' : kind
  }
  return undefined
}

const FORUMS = /discourse|phpbb|vbulletin|xenforo|smf|mybb|flarum|nodebb|invision/i
const MANUALS =
  /docusaurus|sphinx|mkdocs|vitepress|vuepress|gitbook|docsify|mdbook|rustdoc|javadoc|doxygen|typedoc|jsdoc|starlight|antora|nextra|redoc/i
const MANUAL_URL =
  /^https?:\/\/(?:docs|doc|api|developer|developers|manual)\.|\/(?:docs|documentation|manual|reference|api-reference)\//i
const FORUM_URL =
  /^https?:\/\/(?:forum|forums|community|discuss)\.|\/(?:forum|forums|threads|viewtopic\.php|showthread\.php)(?:\/|$|\?)|\/topic\/\d/i

/** True if comments are the content of a page, according to its structured data, its software or its URL. */
export function isForum(metadata: PageMetadata, url: string): boolean {
  return (
    kindOfData(metadata.jsonLd) === 'forum' ||
    (kindOfSoftware(metadata.meta.get('generator')) ?? kindOfAddress(url)) === 'forum'
  )
}

/**
 * Returns the kind of an HTML page; undefined without evidence. The first source with evidence decides: structured
 * data, the software that made the page, the URL, OpenGraph, the elements.
 */
export function kindOfPage(
  tree: HtmlTree,
  metadata: PageMetadata,
  { url, isDated, isSigned }: { url: string; isDated: boolean; isSigned: boolean },
): PageKind | undefined {
  const { articles, types } = signsOf(tree)
  return (
    kindOfData(metadata.jsonLd) ??
    kindOfTypes(types) ??
    kindOfSoftware(metadata.meta.get('generator')) ??
    kindOfAddress(url) ??
    kindOfOpenGraph(metadata.meta.get('og:type')) ??
    (articles >= MANY ? 'listing' : articles > 0 || (isDated && isSigned) ? 'article' : undefined)
  )
}

function kindOfSoftware(generator = ''): PageKind | undefined {
  return FORUMS.test(generator) ? 'forum' : MANUALS.test(generator) ? 'docs' : undefined
}

function kindOfAddress(url: string): PageKind | undefined {
  return FORUM_URL.test(url) ? 'forum' : MANUAL_URL.test(url) ? 'docs' : undefined
}

function kindOfOpenGraph(type = ''): PageKind | undefined {
  if (/^(?:og:)?product(?:\.item)?$/i.test(type)) return 'product'
  if (/^product\.group$/i.test(type)) return 'listing'
  return /^article$/i.test(type) ? 'article' : undefined
}

/** Returns the number of outermost `<article>` elements, and the types of each outermost microdata item. */
function signsOf(tree: HtmlTree): { articles: number; types: string[][] } {
  let articles = 0
  let articleEnd = 0
  let itemEnd = 0
  const types: string[][] = []
  for (const { tag, index, end, attributes } of mergeInPageOrder(
    findByTag(tree, 'article'),
    findByAttribute(tree, 'itemtype'),
  )) {
    // An article inside an article is a comment.
    if (tag === 'article' && index >= articleEnd) {
      articles++
      articleEnd = end
    }
    const { itemtype } = attributes
    if (itemtype === undefined || index < itemEnd || types.length === MAX_ITEMS) continue
    const names = itemtype.slice(0, 500).split(/\s+/, 10)
    const found = names.map(name => name.slice(name.lastIndexOf('/') + 1))
    types.push(found)
    // The items inside a `WebPage` are counted as outermost, because they are the content of the page.
    if (!found.includes('WebPage')) itemEnd = end
  }
  return { articles, types }
}
