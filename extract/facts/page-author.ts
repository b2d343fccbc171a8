import { clip } from '../characters/surrogates.ts'
import { findByAttribute } from '../html/element-index.ts'
import { type HtmlNode, type HtmlTree, textOf } from '../html/html-tree.ts'
import type { StructuredItem } from '../page.ts'
import { isItem } from '../structured/json-ld.ts'
import type { PageMetadata } from '../structured/page-metadata.ts'
import { cleanNames, MAX_AUTHORS, MAX_NAME_CHARS } from './author-names.ts'
import { namesBesideDate, namesByClass, namesByLink, namesByText } from './bylines.ts'

const authorMeta = (
  'author article:author citation_author dc.creator dcterms.creator dc:creator parsely-author sailthru.author byl byline ' +
  'cxenseparse:author rbauthors article:author:name authors shareaholic:article_author_name og:author'
).split(' ')

/**
 * Returns the authors of a page, joined by `, `. The sources are, in this order, JSON-LD of the article, meta elements, `rel=author` and
 * microdata, and bylines. The first source with a name that is neither the site's own nor a user name decides. If there is none, the first
 * source with any name decides.
 *
 * @returns undefined if the page names no author.
 */
export function authorOf(
  tree: HtmlTree,
  metadata: PageMetadata,
  siteName: string | undefined,
  boilerplate: Uint8Array,
): string | undefined {
  const isWeak = weakNames(metadata, siteName)
  let weak: string[] | undefined
  for (const find of [
    () => namesOf(metadata.article, metadata),
    () => namesOf(mainEntityOf(metadata), metadata),
    () =>
      authorMeta.map(name => metadata.metaAll.get(name) ?? []).find(names => cleanNames(names, siteName).length > 0) ??
      [],
    () => readLabeled(metadata),
    () => readMarked(tree, boilerplate),
    () => namesByClass(tree, boilerplate, 0),
    () => namesByText(tree, boilerplate),
    () => namesByLink(tree, boilerplate),
    // Accepts ambiguous boilerplate too, because on some sites the article is in a box with such a name.
    () => namesByClass(tree, boilerplate, 1),
    () => namesBesideDate(tree, metadata, boilerplate, 'day-first'),
    () => metadata.jsonLd.slice(0, 20).flatMap(item => namesOf(item, metadata)),
  ]) {
    const names = cleanNames(find(), siteName)
    if (names.length === 0) continue
    if (!names.every(isWeak)) return names.join(', ')
    weak ??= names
  }
  return weak?.join(', ')
}

/** Returns a test for names that are those of the site or publisher, or user names. */
function weakNames(metadata: PageMetadata, siteName: string | undefined): (name: string) => boolean {
  const publisher = metadata.article?.publisher
  const own = new Set(
    [siteName, isItem(publisher) && typeof publisher.name === 'string' ? publisher.name : undefined]
      .filter(name => name !== undefined)
      .map(name => name.toLowerCase()),
  )
  return name => own.has(name.toLowerCase()) || /^[\p{Ll}\d._-]+$/u.test(name)
}

function mainEntityOf(metadata: PageMetadata): StructuredItem | undefined {
  for (const item of metadata.jsonLd.slice(0, MAX_AUTHORS)) if (isItem(item.mainEntity)) return item.mainEntity
  return undefined
}

function namesOf(item: StructuredItem | undefined, metadata: PageMetadata): string[] {
  const author = item?.author ?? item?.creator
  const list = Array.isArray(author) ? author.slice(0, MAX_AUTHORS) : [author]
  return list.flatMap(entry => {
    if (typeof entry === 'string') return [entry]
    if (!isItem(entry)) return []
    const { name } = entry.name === undefined ? (itemOf(entry['@id'], metadata) ?? entry) : entry
    return Array.isArray(name) ? name.filter(one => typeof one === 'string') : typeof name === 'string' ? [name] : []
  })
}

function itemOf(id: unknown, metadata: PageMetadata): StructuredItem | undefined {
  if (typeof id !== 'string') return undefined
  return metadata.jsonLd.find(item => item['@id'] === id && item.name !== undefined)
}

const authorLabel =
  /^(?:written by|author|by|geschrieben von|verfasst von|von|écrit par|rédigé par|escrito por|scritto da|geschreven door|skrevet af|skriven av|napisane przez|est\. author)$/i

/**
 * Returns the author in `twitter:data1` or `twitter:data2`, as WordPress writes it, if the `twitter:label1` or `twitter:label2` that
 * belongs to it is a label of an author.
 */
function readLabeled(metadata: PageMetadata): string[] {
  for (const number of [1, 2]) {
    const name = metadata.meta.get(`twitter:data${number}`)
    if (name !== undefined && authorLabel.test(metadata.meta.get(`twitter:label${number}`) ?? '')) return [name]
  }
  return []
}

/**
 * Returns the authors in `itemprop=author` and `rel=author`, from the first item that has any. Later items, such as
 * comments, have other authors.
 */
function readMarked(tree: HtmlTree, boilerplate: Uint8Array): string[] {
  const names: string[] = []
  let scope: HtmlNode | undefined
  for (const node of findByAttribute(tree, 'itemprop', 'rel')) {
    const { itemprop, rel, content } = node.attributes
    const isAuthor = itemprop !== undefined && /(?:^|\s)(?:author|creator)(?:\s|$)/.test(itemprop.slice(0, 100))
    if (!isAuthor && !(rel !== undefined && /(?:^|\s)author(?:\s|$)/.test(rel.slice(0, 100)))) continue
    if (node.tag === 'link' || boilerplate[node.index]) continue
    const inner = isAuthor ? innerName(tree, node) : undefined
    const name = clip(content ?? inner ?? textOf(tree, node, MAX_NAME_CHARS * 2), MAX_NAME_CHARS * 2)
    if (name === '') continue
    const itsScope = scopeOf(node)
    if (names.length > 0 && itsScope !== scope) break
    scope = itsScope
    names.push(name)
    if (names.length >= MAX_AUTHORS || rel !== undefined) break
  }
  return names
}

/** Returns the element of the microdata item that a property belongs to. */
function scopeOf(node: HtmlNode): HtmlNode | undefined {
  let up = node.parent
  while (up && up.attributes.itemscope === undefined) up = up.parent
  return up
}

function innerName(tree: HtmlTree, node: HtmlNode): string | undefined {
  for (let i = node.index + 1; i < Math.min(node.end, node.index + 100); i++) {
    const { itemprop, content } = tree.nodes[i]!.attributes
    if (itemprop === 'name') return content ?? textOf(tree, tree.nodes[i]!, MAX_NAME_CHARS * 2)
  }
  return undefined
}
