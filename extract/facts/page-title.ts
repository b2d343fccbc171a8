import { mainElements } from '../html/element-index.ts'
import { parseHtml } from '../html/html-parser.ts'
import { collapse, type HtmlTree } from '../html/html-tree.ts'
import { firstMeta, type Heading, type PageMetadata } from '../structured/page-metadata.ts'

const MAX_TITLE_CHARS = 500

/** Matches separators between a title and the name of the site. */
const separators = /\s+[|\-–—:·•»«›‹/\\~]+\s+|\s*\|\s*|:\s+|\s+::\s+/

export function siteNameOf(metadata: PageMetadata): string | undefined {
  const name = firstMeta(metadata, ['og:site_name', 'application-name', 'al:ios:app_name', 'twitter:app:name:iphone'])
  return name !== undefined && name.length <= 200 ? name : undefined
}

const titleMeta = [
  'dc:title',
  'og:title',
  'twitter:title',
  'citation_title',
  'dc.title',
  'dcterms.title',
  'parsely-title',
]

export interface TitleContext {
  tree: HtmlTree
  siteName: string | undefined
  url: string
  /** For each node, above 0 in boilerplate. Headings there do not name the page. */
  boilerplate: Uint8Array
  /** True if the page names its author. Such a page is an article with a heading of its own. */
  isSigned: boolean
}

/**
 * Returns the title of a page: the text on which `og:title`, `<title>` and the headings agree. The name of the site at
 * either end is removed if the declared site name, the host or a heading confirms it. Undefined if there is no title.
 */
export function titleOf(
  metadata: PageMetadata,
  { tree, siteName, url, boilerplate, isSigned }: TitleContext,
): string | undefined {
  const declared = [
    firstMeta(metadata, titleMeta),
    typeof metadata.article?.headline === 'string' ? collapse(metadata.article.headline) : undefined,
    metadata.title,
  ]
    .filter(text => text !== undefined && text !== '')
    .map(text => decodeTitle(text as string))
  const leadsHome = ({ href }: Heading) => href !== undefined && isRoot(href, url) && !isRoot(url)
  const book = bookOf(tree, metadata)
  const named = metadata.headings.filter(heading => !leadsHome(heading) && heading !== book?.name)
  // Some sites declare each page's title as the name of the site. Such a site name is ignored.
  const isTitle = siteName !== undefined && declared.some(title => key(title) === key(siteName))
  const ownName = (isTitle ? undefined : siteName) ?? metadata.headings.find(leadsHome)?.text ?? book?.name.text ?? ''
  const site = { name: key(ownName), host: key((URL.parse(url)?.hostname ?? '').replace(/^www\./, '')) }
  if (book?.chapter !== undefined) return cut(decodeTitle(withoutAnchor(book.chapter.text)))
  const headings = named.map(({ text }) => text)
  const heading =
    headings.find(text =>
      declared.some(title => contains(title, text) && (!namesSite(text, site) || key(title) === key(text))),
    ) ?? headingThatNames({ first: named, second: metadata.subheadings }, declared, site, { boilerplate, isSigned })
  if (heading !== undefined) return cut(decodeTitle(withoutAnchor(heading)))
  const best = declared.map(title => withoutSlogan(withoutSite(title, site, headings))).find(title => title !== '')
  return cut(best ?? headings[0] ?? metadata.subheadings[0]?.text)
}

const reference = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,31}\d{0,2});/i

/** Decodes entities. Software often escapes titles twice in attributes and JSON. */
function decodeTitle(title: string): string {
  if (!reference.test(title)) return title
  const { nodes } = parseHtml(title.slice(0, MAX_TITLE_CHARS).replaceAll('<', '&lt;'))
  return collapse(nodes.map(({ text }) => text).join(''))
}

/**
 * Finds the heading with the name of the book or site. It has level 1, is outside of the main part, and equals the last
 * part of `<title>`. The main part must have a heading that names the page: its only heading of level 1, returned as
 * `chapter`, or a heading that contains another part of `<title>`.
 */
function bookOf(tree: HtmlTree, metadata: PageMetadata): { name: Heading; chapter: Heading | undefined } | undefined {
  const main = mainElements(tree)[0]
  if (main === undefined) return undefined
  const isOwn = ({ index }: Heading): boolean => index > main.index && index < main.end
  const others = metadata.headings.filter(heading => !isOwn(heading))
  if (others.length === 0) return undefined
  const parts = metadata.title.split(separators).map(key)
  const name = parts.length < 2 ? undefined : others.find(heading => key(heading.text) === parts.at(-1))
  if (!name) return undefined
  const own = metadata.headings.filter(isOwn)
  if (own.length === 1) return { name, chapter: own[0] }
  const namesPage = ({ text }: Heading): boolean =>
    parts.slice(0, -1).some(part => part !== '' && key(text).includes(part))
  return [...own, ...metadata.subheadings.filter(isOwn)].some(namesPage) ? { name, chapter: undefined } : undefined
}

/** True for the URL of a home page. A heading that links to one has the name of the site. */
function isRoot(href: string, base?: string): boolean {
  const url = URL.parse(href, base)
  return url !== null && /^\/(?:index\.\w{3,5}|[a-z]{2}\/?|home\/?)?$/i.test(url.pathname) && url.search === ''
}

/** The name and host of a site, in the form that {@link key} returns. */
interface Site {
  name: string
  host: string
}

const MIN_TITLE_PART_CHARS = 8
const MAX_HEADING_CHARS = 200
/** Minimum share of a heading's words in the declared titles, for the heading to be the same title in other words. */
const MIN_SHARED_WORDS = 0.5
/** The same share for a page without an author, where the first heading is often a slogan. */
const MIN_SHARED_WORDS_UNSIGNED = 0.7
const MIN_HEADLINE_CHARS = 12

/**
 * Returns the heading that names the page: a heading that is part of a declared title; or else one that shares words with the title; or
 * else a heading of level 2 that is part of the title; or else the first heading of an article.
 */
function headingThatNames(
  headings: { first: readonly Heading[]; second: readonly Heading[] },
  declared: readonly string[],
  site: Site,
  { boilerplate, isSigned }: Pick<TitleContext, 'boilerplate' | 'isSigned'>,
): string | undefined {
  const isOwn = ({ text, index }: Heading) => boilerplate[index] === 0 && !namesSite(text, site)
  const first = headings.first.filter(isOwn).map(({ text }) => text)
  const second = headings.second.filter(isOwn).map(({ text }) => text)
  const parts = new Set(declared.flatMap(title => title.split(separators)).map(key))
  const isPart = (text: string) => key(text).length >= MIN_TITLE_PART_CHARS && parts.has(key(text))
  const part = first.find(isPart) ?? second.find(isPart)
  if (part !== undefined) return part
  const words = new Set(declared.flatMap(wordsOf))
  let [best, bestShare] = [undefined as string | undefined, 0]
  for (const [order, text] of first.entries()) {
    if (text.length < 3 || text.length > MAX_HEADING_CHARS) continue
    const own = [...new Set(wordsOf(text))]
    // If two headings share about as many words, the first wins.
    const share = own.filter(word => words.has(word)).length / own.length - order * 0.05
    if (share > bestShare) [best, bestShare] = [text, share]
  }
  if (best !== undefined && bestShare >= (isSigned ? MIN_SHARED_WORDS : MIN_SHARED_WORDS_UNSIGNED)) return best
  const contained = second.find(text => declared.some(title => contains(title, text)))
  if (contained !== undefined || !isSigned) return contained
  const [headline = ''] = first
  return headline.length >= MIN_HEADLINE_CHARS && headline.length <= MAX_HEADING_CHARS ? headline : undefined
}

/** Returns the words of a title that have at least three letters. Shorter words are in every title. */
function wordsOf(text: string): string[] {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word.length > 2)
}

/** True if a heading is only the name of the site, or nearly so. */
function namesSite(text: string, { name, host }: Site): boolean {
  const own = key(text)
  if (own === '' || own === name) return true
  if (own.length > 2 && host.includes(own)) return true
  if (name.length > 3 && name.includes(own) && own.length > name.length * 0.6) return true
  return name.length > 3 && own.includes(name) && own.length < name.length * 1.5
}

const MIN_TITLE_CHARS = 12

/** Removes a sign such as `¶` from the end of a heading. Manuals add it as a link to the heading. */
function withoutAnchor(heading: string): string {
  return heading.length > 1 ? heading.replace(/\s*¶$|\s+#$/, '') : heading
}

/** Removes what follows a bar in a title, because it is about the site: `Title | Slogan` becomes `Title`. */
function withoutSlogan(title: string): string {
  const bar = title.indexOf('|')
  const first = bar < 0 ? '' : title.slice(0, bar).trim()
  return first.length >= MIN_TITLE_CHARS ? first : title
}

function cut(written: string | undefined): string | undefined {
  const title = written?.replace(/^[|·•»]\s+|\s+[|·•«–—-]$/g, '')
  if (title === undefined || title === '') return undefined
  return title.length > MAX_TITLE_CHARS ? title.slice(0, MAX_TITLE_CHARS).toWellFormed() : title
}

/** Returns only the letters and digits of a text, in lower case, for comparisons that ignore typography. */
function key(text: string): string {
  // The faster way for ASCII.
  if (!/[^\x20-\x7e]/.test(text)) return text.toLowerCase().replace(/[^a-z\d]+/g, '')
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
}

/** True if a heading is the title or a large part of it, so that it is not only the name of the site. */
function contains(title: string, heading: string): boolean {
  const [whole, part] = [key(title), key(heading)]
  if (part.length < 4) return whole === part && part !== ''
  if (whole === part) return true
  return whole.includes(part) && part.length >= whole.length * 0.5
}

/** Removes the name of the site from both ends of a title. */
function withoutSite(written: string, { name: site, host }: Site, headings: readonly string[]): string {
  const [first = ''] = written.split(' ', 1)
  const title =
    host !== '' && key(first) === host && written.length > first.length ? written.slice(first.length).trim() : written
  const parts = title.split(separators).filter(part => part !== '')
  if (parts.length < 2) return title
  const isSite = (part: string) => {
    const name = key(part)
    if (name === '') return true
    if (name === site || (site.length > 3 && name.includes(site) && name.length < site.length * 2)) return true
    if (headings.some(heading => key(heading) === name)) return false
    return name.length > 2 && host.includes(name.replace(/^the|com$/, ''))
  }
  let [from, last] = [0, parts.length - 1]
  while (last > from && isSite(parts[last]!)) last--
  while (from < last && isSite(parts[from]!)) from++
  if (from === 0 && last === parts.length - 1) return title
  const start = title.indexOf(parts[from]!)
  const end = title.lastIndexOf(parts[last]!) + parts[last]!.length
  return end > start ? title.slice(start, end).trim() : title
}
