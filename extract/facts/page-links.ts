import { findByTag } from '../html/element-index.ts'
import { type HtmlTree, textOf } from '../html/html-tree.ts'
import { type LinkResolver, withoutFragment } from '../html/link-resolver.ts'
import type { PageLink } from '../page.ts'

const MAX_LINKS = 5000
const MAX_LINK_TEXT_CHARS = 300
/** Maximum number of references that are read. It bounds the time for a page that repeats one link. */
const MAX_REFERENCES = 100_000

/** Returns the links of a page in page order: absolute, http(s), without fragment, each URL once, at most 5,000. */
export function pageLinks(tree: HtmlTree, resolver: LinkResolver): PageLink[] {
  const links = new Map<string, PageLink>()
  let references = 0
  for (const node of findByTag(tree, 'a', 'area', 'frame')) {
    const { rel } = node.attributes
    // A frameset shows the pages of its frames, so they count as links.
    const href = node.tag === 'frame' ? node.attributes.src : node.attributes.href
    if (href === undefined || href.startsWith('#')) continue
    if (++references > MAX_REFERENCES) break
    const resolved = resolver.resolve(href)
    if (resolved === undefined) continue
    const url = withoutFragment(resolved)
    const nofollow = rel !== undefined && /(?:^|\s)(?:nofollow|ugc|sponsored)(?:\s|$)/i.test(rel.slice(0, 200))
    const known = links.get(url)
    if (known) {
      // A URL is nofollow only if all links to it are. Its text is the first non-empty one.
      known.nofollow &&= nofollow
      if (known.text === '') known.text = textOf(tree, node, MAX_LINK_TEXT_CHARS)
      continue
    }
    if (links.size >= MAX_LINKS) break
    links.set(url, { url, text: textOf(tree, node, MAX_LINK_TEXT_CHARS), nofollow })
  }
  return [...links.values()]
}
