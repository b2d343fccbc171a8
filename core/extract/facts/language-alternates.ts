import { tagged } from '../html/element-index.ts'
import type { HtmlTree } from '../html/html-tree.ts'
import { type LinkResolver, withoutFragment } from '../html/link-resolver.ts'

const MAX_ALTERNATES = 100

/**
 * Returns the URLs of the page in other languages, from `<link rel=alternate hreflang>`: absolute http(s) URLs without fragment, each
 * once, at most 100.
 */
export function languageAlternates(tree: HtmlTree, resolver: LinkResolver): string[] {
  const urls = new Set<string>()
  for (const { attributes } of tagged(tree, 'link')) {
    if (!attributes.hreflang || attributes.href === undefined) continue
    if (!/(?:^|\s)alternate(?:\s|$)/i.test((attributes.rel ?? '').slice(0, 200))) continue
    const url = resolver.resolve(attributes.href)
    if (url !== undefined) urls.add(withoutFragment(url))
    if (urls.size === MAX_ALTERNATES) break
  }
  return [...urls]
}
