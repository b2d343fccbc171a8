import { clip } from '../characters/surrogates.ts'
import { findByTag } from '../html/element-index.ts'
import { type Attributes, collapse, type HtmlNode, type HtmlTree, textOf } from '../html/html-tree.ts'
import type { StructuredItem } from '../page.ts'
import { isItem, parseJsonLd, typesOf } from './json-ld.ts'

const MAX_META = 2000
const MAX_META_CHARS = 4000
const MAX_RELATIONS = 100
const MAX_HEADINGS = 20
const MAX_HEADING_NODES = 20

export interface Heading {
  text: string
  index: number
  /** `href` of the first link with text. Links around images, such as badges, may lead anywhere and do not count. */
  href: string | undefined
}

/** What the elements and JSON-LD of a page declare about the page. */
export interface PageMetadata {
  /**
   * The first non-empty content of each meta element, by its `name`, `property`, `itemprop` or `http-equiv` in lower
   * case.
   */
  meta: Map<string, string>
  /** All contents of meta elements by name, since some names repeat, such as authors. */
  metaAll: Map<string, string[]>
  /** Text of `<title>`; '' if there is none. */
  title: string
  /** The headings of level 1 in page order, at most {@link MAX_HEADINGS}. */
  headings: Heading[]
  /** The headings of level 2 in page order, at most {@link MAX_HEADINGS}. */
  subheadings: Heading[]
  /** `lang` of the root element; '' if there is none. */
  lang: string
  baseHref?: string
  /** For each relation, the `href` of the first `<link>`. */
  links: Map<string, string>
  jsonLd: StructuredItem[]
  /** The JSON-LD item of the article that the page shows; undefined if there is none. */
  article?: StructuredItem
}

export function gatherMetadata(tree: HtmlTree): PageMetadata {
  const meta = new Map<string, string>()
  const metaAll = new Map<string, string[]>()
  for (const { attributes } of findByTag(tree, 'meta')) {
    const written = attributes.content ?? attributes.value
    const content = written === undefined ? '' : collapse(clip(written, MAX_META_CHARS))
    if (content === '') continue
    for (const name of metaNames(attributes)) {
      const all = metaAll.get(name)
      if (all) {
        if (all.length < 20) all.push(content)
      } else if (meta.size < MAX_META) {
        meta.set(name, content)
        metaAll.set(name, [content])
      }
    }
  }
  const title = findByTag(tree, 'title').find(({ parent }) => parent?.tag !== 'svg')
  const root = findByTag(tree, 'html').at(-1)?.attributes
  const baseHref = findByTag(tree, 'base').find(({ attributes }) => attributes.href !== undefined)?.attributes.href
  const jsonLd = parseJsonLd(jsonLdScripts(tree))
  const article = jsonLd.find(item => typesOf(item).some(isArticleType)) ?? nestedArticle(jsonLd)
  return {
    meta,
    metaAll,
    title: title === undefined ? '' : textOf(tree, title, 1000),
    headings: headingsOf(tree, 'h1'),
    subheadings: headingsOf(tree, 'h2'),
    lang: root?.lang ?? root?.['xml:lang'] ?? '',
    links: linksOf(tree),
    jsonLd,
    baseHref,
    article,
  }
}

function headingsOf(tree: HtmlTree, tag: 'h1' | 'h2'): Heading[] {
  const headings: Heading[] = []
  for (const node of findByTag(tree, tag)) {
    const text = textOf(tree, node, 500)
    if (text !== '') headings.push({ text, index: node.index, href: hrefIn(tree, node) })
    if (headings.length === MAX_HEADINGS) break
  }
  return headings
}

function linksOf(tree: HtmlTree): Map<string, string> {
  const links = new Map<string, string>()
  for (const { attributes } of findByTag(tree, 'link')) {
    const { rel, href } = attributes
    if (rel === undefined || href === undefined) continue
    for (const word of rel.toLowerCase().split(/\s+/, 5)) {
      if (links.size < MAX_RELATIONS && !links.has(word)) links.set(word, href)
    }
  }
  return links
}

function jsonLdScripts(tree: HtmlTree): string[] {
  const scripts: string[] = []
  for (const node of findByTag(tree, 'script')) {
    const first = tree.nodes[node.index + 1]
    if (first?.parent !== node || first.tag !== '') continue
    if (node.attributes.type?.toLowerCase().includes('ld+json')) scripts.push(first.text)
  }
  return scripts
}

function hrefIn(tree: HtmlTree, heading: HtmlNode): string | undefined {
  for (let up = heading.parent, level = 0; up && level < 2; up = up.parent, level++) {
    if (up.tag === 'a') return up.attributes.href
  }
  const end = Math.min(heading.end, heading.index + MAX_HEADING_NODES)
  for (let i = heading.index + 1; i < end; i++) {
    const node = tree.nodes[i]!
    if (node.tag === 'a' && textOf(tree, node, 10) !== '') return node.attributes.href
  }
  return undefined
}

/** Returns the names of a meta element. In RDFa, `property` may contain several. */
function metaNames({ property, name, itemprop, 'http-equiv': httpEquiv }: Attributes): string[] {
  const names = property === undefined ? [] : property.slice(0, 200).split(/\s+/, 5)
  return [...names, name, itemprop, httpEquiv]
    .filter(key => key !== undefined)
    .filter(key => key.length <= 100)
    .map(key => key.toLowerCase().trim())
    .filter(key => key !== '')
}

/** True for schema.org's Article and its subtypes. */
function isArticleType(type: string): boolean {
  return /^(?:\w*Article|BlogPosting|LiveBlogPosting|SocialMediaPosting|DiscussionForumPosting|Report|Review|Recipe|HowTo|Posting)$/.test(
    type,
  )
}

/** Returns an article that is the main entity of another item. */
function nestedArticle(items: readonly StructuredItem[]): StructuredItem | undefined {
  for (const item of items) {
    const main = item.mainEntity ?? item.mainEntityOfPage
    if (isItem(main) && typesOf(main).some(isArticleType)) return main
  }
  return undefined
}

/** Returns the content of the first of these meta elements that the page has. */
export function firstMeta(metadata: PageMetadata, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = metadata.meta.get(name)
    if (value !== undefined) return value
  }
  return undefined
}
