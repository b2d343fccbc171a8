import { findByTag } from '../html/element-index.ts'
import type { HtmlTree } from '../html/html-tree.ts'
import { type LinkResolver, withoutFragment } from '../html/link-resolver.ts'
import { isInert } from '../html/page-head.ts'

/** A refresh that a page asks for: after some time, the browser loads a URL in its place. */
export interface Refresh {
  /** Absolute URL, http(s), without fragment. It may be that of the page itself. */
  url: string
  /** Time until the browser loads the URL, whole seconds. */
  seconds: number
}

/** Returns the first refresh in a `<meta>` that a browser would obey. Undefined if the page has no such element. */
export function refreshOf(tree: HtmlTree, resolver: LinkResolver): Refresh | undefined {
  for (const element of findByTag(tree, 'meta')) {
    const { 'http-equiv': name, content } = element.attributes
    if (content === undefined || name?.trim().toLowerCase() !== 'refresh' || isInert(element)) continue
    const found = parseRefresh(content)
    const url = resolver.resolve(found?.reference)
    if (found && url !== undefined) return { url: withoutFragment(url), seconds: found.seconds }
  }
  return undefined
}

/**
 * Parses the content of a refresh, as it is in `<meta>` and in the header `Refresh` (HTML 4.2.5.3, "shared declarative refresh steps").
 *
 * @returns undefined if the content is invalid, or has no URL: the browser then reloads the page itself.
 */
export function parseRefresh(content: string): { reference: string; seconds: number } | undefined {
  const [, whole = '', rest = ''] = /^\s*(\d{0,9})\d*(.*)$/s.exec(content) ?? []
  if (whole === '' && !rest.startsWith('.')) return undefined
  // A fraction of a second is ignored.
  const afterTime = rest.replace(/^[\d.]+/, '')
  if (!/^[;,\s]/.test(afterTime)) return undefined
  const written = afterTime.trimStart().replace(/^[;,]/, '').trimStart()
  const value = written.replace(/^url\s*=\s*/i, '')
  const [quote = ''] = /^["']/.exec(value) ?? []
  const end = quote === '' ? -1 : value.indexOf(quote, 1)
  const reference = value.slice(quote.length, end < 0 ? undefined : end).trim()
  return reference === '' ? undefined : { reference, seconds: Number(whole) }
}
