import { collapse } from './html-tree.ts'
import { type LinkResolver, withoutFragment } from './link-resolver.ts'
import { firstMeta, type PageFacts } from './page-facts.ts'

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

/** What `<meta name=robots>`, or one for `asof`, asks of indexers; `none` is both. */
export function robotsOf(facts: PageFacts): { noindex: boolean; nofollow: boolean } {
  const words = ['robots', 'asof']
    .flatMap(name => facts.metaAll.get(name) ?? [])
    .flatMap(content => content.toLowerCase().split(/[\s,]+/, 50))
  const none = words.includes('none')
  return { noindex: none || words.includes('noindex'), nofollow: none || words.includes('nofollow') }
}
