import { collapse } from '../html/html-tree.ts'
import { type LinkResolver, withoutFragment } from '../html/link-resolver.ts'
import { isItem } from '../structured/json-ld.ts'
import { firstMeta, type PageFacts } from '../structured/page-facts.ts'

const MAX_DESCRIPTION_CHARS = 2000

/** A BCP 47 tag in its usual case (`en`, `pt-BR`, `zh-Hant`); `undefined` for what can't be one. */
export function languageOf(facts: PageFacts): string | undefined {
  for (const value of [
    facts.lang,
    facts.meta.get('content-language'),
    facts.meta.get('language'),
    facts.meta.get('og:locale'),
    typeof facts.article?.inLanguage === 'string' ? facts.article.inLanguage : undefined,
  ]) {
    const tag = /^\s*([a-z]{2,3}(?:[-_][a-z0-9]{2,8}){0,3})(?:$|[\s,;.])/i.exec((value ?? '').slice(0, 60))?.[1]
    if (!tag) continue
    const [language, ...rest] = tag.replaceAll('_', '-').split('-')
    const cased = rest.map(part =>
      part.length === 2
        ? part.toUpperCase()
        : part.length === 4
          ? part[0].toUpperCase() + part.slice(1).toLowerCase()
          : part.toLowerCase(),
    )
    return [language.toLowerCase(), ...cased].join('-')
  }
  return undefined
}

export function descriptionOf(facts: PageFacts): string | undefined {
  const text =
    firstMeta(facts, [
      'description',
      'og:description',
      'twitter:description',
      'dc.description',
      'dcterms.description',
    ]) ?? (typeof facts.article?.description === 'string' ? collapse(facts.article.description) : undefined)
  return text === undefined || text === '' ? undefined : text.slice(0, MAX_DESCRIPTION_CHARS).toWellFormed()
}

/** `<link rel=canonical>`, else `og:url`: absolute, http(s), no fragment. */
export function canonicalOf(facts: PageFacts, resolver: LinkResolver): string | undefined {
  const url = resolver.resolve(facts.links.get('canonical')) ?? resolver.resolve(facts.meta.get('og:url'))
  return url === undefined ? undefined : withoutFragment(url)
}

/** What a page asks of indexers. The optional ones are present only when asked for. */
export interface RobotsDirectives {
  noindex: boolean
  nofollow: boolean
  /** No cached copy may be shown. */
  noarchive?: true
  /** No text of the page may be shown in results. */
  nosnippet?: true
  noimageindex?: true
  /** Most characters of a snippet; -1 for no limit. */
  maxSnippet?: number
  /** As written: results leave the page out from then on. */
  unavailableAfter?: string
}

/** What `<meta name=robots>`, or one for `asof`, asks of indexers; `none` is both noindex and nofollow. */
export function robotsOf(facts: PageFacts): RobotsDirectives {
  const contents = ['robots', 'asof'].flatMap(name => facts.metaAll.get(name) ?? []).map(text => text.toLowerCase())
  const words = new Set(contents.flatMap(content => content.split(/[\s,]+/, 50)))
  const none = words.has('none')
  const maxSnippet = firstMatch(contents, /max-snippet:\s*(-1|\d{1,9})/)
  const unavailableAfter = firstMatch(contents, /unavailable_after:\s*([^,]{4,60}(?:,\s*\d[^,]{4,40})?)/)
  return {
    noindex: none || words.has('noindex'),
    nofollow: none || words.has('nofollow'),
    ...(words.has('noarchive') && { noarchive: true }),
    ...((words.has('nosnippet') || maxSnippet === '0') && { nosnippet: true }),
    ...(words.has('noimageindex') && { noimageindex: true }),
    ...(maxSnippet !== undefined && { maxSnippet: Number(maxSnippet) }),
    ...(unavailableAfter !== undefined && { unavailableAfter: unavailableAfter.trim() }),
  }
}

function firstMatch(contents: readonly string[], pattern: RegExp): string | undefined {
  for (const content of contents) {
    const match = pattern.exec(content)
    if (match) return match[1]
  }
  return undefined
}

/** The picture that stands for the page: OpenGraph, Twitter, the article's JSON-LD, `<link rel=image_src>`; absolute. */
export function imageOf(facts: PageFacts, resolver: LinkResolver): string | undefined {
  const declared = [
    firstMeta(facts, ['og:image', 'og:image:url', 'og:image:secure_url', 'twitter:image', 'twitter:image:src']),
    pictureAddress(facts.article?.image),
    facts.links.get('image_src'),
    firstMeta(facts, ['thumbnail', 'image', 'thumbnailurl']),
  ]
  for (const address of declared) {
    const url = resolver.resolve(address)
    if (url !== undefined) return url
  }
  return undefined
}

function pictureAddress(image: unknown): string | undefined {
  const first: unknown = Array.isArray(image) ? image[0] : image
  const address = isItem(first) ? (first.url ?? first.contentUrl) : first
  return typeof address === 'string' ? address : undefined
}

/**
 * Whether the page says that readers must pay or sign in for its text: schema.org's `isAccessibleForFree` of the article,
 * `article:content_tier`. `undefined` when it doesn't say.
 */
export function isPaywalled(facts: PageFacts): boolean | undefined {
  const free = facts.article?.isAccessibleForFree
  if (free !== undefined) return /^(?:https?:\/\/schema\.org\/)?(?:false|no|0)$/i.test(String(free).slice(0, 40))
  const tier = firstMeta(facts, ['article:content_tier', 'lp.type', 'cxenseparse:paywall'])?.toLowerCase()
  if (tier === undefined) return undefined
  if (['locked', 'metered', 'hard', 'premium', 'paid', 'true'].includes(tier)) return true
  return ['free', 'false'].includes(tier) ? false : undefined
}
