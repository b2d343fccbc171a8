import { findByTag } from '../html/element-index.ts'
import { collapse, type HtmlNode, type HtmlTree } from '../html/html-tree.ts'
import { type LinkResolver, withoutFragment } from '../html/link-resolver.ts'
import { headElements } from '../html/page-head.ts'
import type { StructuredItem } from '../page.ts'
import { isItem } from '../structured/json-ld.ts'
import { firstMeta, type PageMetadata } from '../structured/page-metadata.ts'

const MAX_DESCRIPTION_CHARS = 2000
const MAX_ALTERNATES = 100

/** Number of items of JSON-LD in which a language is searched for. */
const MAX_ITEMS = 20

/**
 * Returns the languages that a page declares for itself, the most trusted first, as BCP 47 tags in canonical case (`en`,
 * `pt-BR`, `zh-Hant`): those of the root element, of meta elements and of JSON-LD.
 */
export function declaredLanguages({ lang, meta, article, jsonLd }: PageMetadata): string[] {
  const names = ['content-language', 'language', 'og:locale', 'dc.language', 'dcterms.language', 'inlanguage']
  const items = article === undefined ? jsonLd : [article, ...jsonLd]
  return [lang, ...names.map(name => meta.get(name)), ...items.slice(0, MAX_ITEMS).map(nameOfLanguage)].flatMap(
    value => canonicalTag(value ?? '') ?? [],
  )
}

/** Returns `inLanguage` of an item: a tag, a list of tags, or an item with the tag as its name. */
function nameOfLanguage({ inLanguage }: StructuredItem): string | undefined {
  const first: unknown = Array.isArray(inLanguage) ? inLanguage[0] : inLanguage
  const name = isItem(first) ? (first.alternateName ?? first.name) : first
  return typeof name === 'string' ? name : undefined
}

function canonicalTag(value: string): string | undefined {
  const tag = /^\s*([a-z]{2,3}(?:[-_][a-z0-9]{2,8}){0,3})(?:$|[\s,;.])/i.exec(value.slice(0, 60))?.[1]
  if (!tag) return undefined
  const [language = '', ...rest] = tag.replaceAll('_', '-').split('-')
  const cased = rest.map(part =>
    part.length === 2
      ? part.toUpperCase()
      : part.length === 4
        ? part.slice(0, 1).toUpperCase() + part.slice(1).toLowerCase()
        : part.toLowerCase(),
  )
  return [language.toLowerCase(), ...cased].join('-')
}

export function descriptionOf(metadata: PageMetadata): string | undefined {
  const text =
    firstMeta(metadata, [
      'description',
      'og:description',
      'twitter:description',
      'dc.description',
      'dcterms.description',
    ]) ?? (typeof metadata.article?.description === 'string' ? collapse(metadata.article.description) : undefined)
  return text === undefined || text === '' ? undefined : text.slice(0, MAX_DESCRIPTION_CHARS).toWellFormed()
}

/**
 * Returns the URL that the head of a page declares as its address, in `<link rel=canonical>` or, without one, in
 * `og:url`: absolute, http(s), without fragment.
 */
export function canonicalOf(tree: HtmlTree, resolver: LinkResolver): string | undefined {
  const canonical = headElements(tree, 'link').find(isCanonical)?.attributes.href
  const url = resolver.resolve(canonical) ?? resolver.resolve(openGraphUrl(tree))
  return url === undefined ? undefined : withoutFragment(url)
}

function isCanonical({ attributes: { rel, href } }: HtmlNode): boolean {
  return href !== undefined && rel !== undefined && /(?:^|\s)canonical(?:\s|$)/i.test(rel.slice(0, 200))
}

function openGraphUrl(tree: HtmlTree): string | undefined {
  const named = headElements(tree, 'meta').find(({ attributes: { property, name } }) =>
    [property, name].some(key => key?.trim().toLowerCase() === 'og:url'),
  )
  return named?.attributes.content?.trim()
}

/** The robots directives of a page. Optional ones are undefined if the page does not have them. */
export interface RobotsDirectives {
  /** True if the page asks not to be in an index. */
  noindex: boolean
  /** True if the page asks that its links are not followed. */
  nofollow: boolean
  /** Results must not offer a cached copy of the page. */
  noarchive?: true
  /** Results must not show text of the page. */
  nosnippet?: true
  /** Images of the page must not be in an index. */
  noimageindex?: true
  /** Maximum number of characters in a snippet; −1 for no limit. */
  maxSnippet?: number
  /** When results must stop showing the page, as written in the page. */
  unavailableAfter?: string
}

/** Returns the directives of `<meta name=robots>` and `<meta name=asof>`. `none` means both noindex and nofollow. */
export function robotsOf(metadata: PageMetadata): RobotsDirectives {
  const contents = ['robots', 'asof'].flatMap(name => metadata.metaAll.get(name) ?? []).map(text => text.toLowerCase())
  const words = new Set(contents.flatMap(content => content.split(/[\s,]+/, 50)))
  const none = words.has('none')
  const maxSnippet = firstMatch(contents, /max-snippet:\s*(-1|\d{1,9})/)
  const unavailableAfter = firstMatch(contents, /unavailable_after:\s*([^,]{4,60}(?:,\s*\d[^,]{4,40})?)/)
  return {
    noindex: none || words.has('noindex'),
    nofollow: none || words.has('nofollow'),
    noarchive: words.has('noarchive') || undefined,
    nosnippet: words.has('nosnippet') || maxSnippet === '0' || undefined,
    noimageindex: words.has('noimageindex') || undefined,
    maxSnippet: maxSnippet === undefined ? undefined : Number(maxSnippet),
    unavailableAfter: unavailableAfter?.trim(),
  }
}

function firstMatch(contents: readonly string[], pattern: RegExp): string | undefined {
  for (const content of contents) {
    const match = pattern.exec(content)
    if (match) return match[1]
  }
  return undefined
}

/**
 * Returns the declared image of a page as an absolute URL, from OpenGraph, Twitter, the article's JSON-LD or
 * `<link rel=image_src>`.
 */
export function imageOf(metadata: PageMetadata, resolver: LinkResolver): string | undefined {
  const declared = [
    firstMeta(metadata, ['og:image', 'og:image:url', 'og:image:secure_url', 'twitter:image', 'twitter:image:src']),
    imageAddress(metadata.article?.image),
    metadata.links.get('image_src'),
    firstMeta(metadata, ['thumbnail', 'image', 'thumbnailurl']),
  ]
  for (const address of declared) {
    const url = resolver.resolve(address)
    if (url !== undefined) return url
  }
  return undefined
}

function imageAddress(image: unknown): string | undefined {
  const first: unknown = Array.isArray(image) ? image[0] : image
  const address = isItem(first) ? (first.url ?? first.contentUrl) : first
  return typeof address === 'string' ? address : undefined
}

/**
 * True if the page declares that its text needs payment or a login, false if it declares that it needs none. Reads
 * `isAccessibleForFree` of the article (schema.org) and `article:content_tier`.
 */
export function isPaywalled(metadata: PageMetadata): boolean | undefined {
  const free = metadata.article?.isAccessibleForFree
  if (free !== undefined) return /^(?:https?:\/\/schema\.org\/)?(?:false|no|0)$/i.test(String(free).slice(0, 40))
  const tier = firstMeta(metadata, ['article:content_tier', 'lp.type', 'cxenseparse:paywall'])?.toLowerCase()
  if (tier === undefined) return undefined
  if (['locked', 'metered', 'hard', 'premium', 'paid', 'true'].includes(tier)) return true
  return ['free', 'false'].includes(tier) ? false : undefined
}

/**
 * Returns the URLs of the page in other languages, from `<link rel=alternate hreflang>`. They are absolute, http(s),
 * without fragment, each once, at most 100.
 */
export function languageAlternates(tree: HtmlTree, resolver: LinkResolver): string[] {
  const urls = new Set<string>()
  for (const { attributes } of findByTag(tree, 'link')) {
    if (!attributes.hreflang || attributes.href === undefined) continue
    if (!/(?:^|\s)alternate(?:\s|$)/i.test((attributes.rel ?? '').slice(0, 200))) continue
    const url = resolver.resolve(attributes.href)
    if (url !== undefined) urls.add(withoutFragment(url))
    if (urls.size === MAX_ALTERNATES) break
  }
  return [...urls]
}
