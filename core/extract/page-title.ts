import { collapse } from './html-tree.ts'
import { firstMeta, type PageFacts } from './page-facts.ts'

const MAX_TITLE_CHARS = 500

/** Separators between a title and its site's name; the spaces matter. */
const separators = /\s+[|\-–—:·•»«›‹/\\~]+\s+|\s*\|\s*|:\s+|\s+::\s+/

export function siteNameOf(facts: PageFacts): string | undefined {
  const name = firstMeta(facts, ['og:site_name', 'application-name', 'al:ios:app_name', 'twitter:app:name:iphone'])
  return name !== undefined && name.length <= 200 ? name : undefined
}

/**
 * The page's title: what `og:title`, `<title>` and the first heading agree on. A site's name at either end of it is cut
 * when the site name, the host or the heading proves it to be one. `undefined` when the page has none of them.
 */
export function titleOf(facts: PageFacts, siteName: string | undefined, url: string): string | undefined {
  const declared = [
    firstMeta(facts, ['og:title', 'twitter:title', 'citation_title', 'dc.title', 'dcterms.title', 'parsely-title']),
    typeof facts.article?.headline === 'string' ? collapse(facts.article.headline) : undefined,
    facts.title,
  ].filter(text => text !== undefined && text !== '') as string[]
  const headings = facts.headings.map(({ text }) => text)
  const heading = headings.find(text => declared.some(title => contains(title, text)))
  if (heading !== undefined) return cut(heading)
  const best = declared.map(title => withoutSite(title, siteName, url, headings)).find(title => title !== '')
  return cut(best ?? headings[0])
}

function cut(title: string | undefined): string | undefined {
  if (title === undefined || title === '') return undefined
  return title.length > MAX_TITLE_CHARS ? title.slice(0, MAX_TITLE_CHARS).toWellFormed() : title
}

/** Letters and digits alone, so that typography doesn't count. */
function key(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
}

/** Whether a heading is the title or a real part of it, not just the site's name. */
function contains(title: string, heading: string): boolean {
  const [whole, part] = [key(title), key(heading)]
  if (part.length < 4) return whole === part && part !== ''
  if (whole === part) return true
  return whole.includes(part) && part.length >= whole.length * 0.5
}

function withoutSite(title: string, siteName: string | undefined, url: string, headings: readonly string[]): string {
  const parts = title.split(separators).filter(part => part !== '')
  if (parts.length < 2) return title
  const host = URL.parse(url)?.hostname ?? ''
  const site = key(siteName ?? '')
  const isSite = (part: string) => {
    const name = key(part)
    if (name === '') return true
    if (name === site || (site.length > 3 && name.includes(site) && name.length < site.length * 2)) return true
    if (headings.some(heading => key(heading) === name)) return false
    return name.length > 2 && key(host).includes(name.replace(/^the|com$/, ''))
  }
  let [first, last] = [0, parts.length - 1]
  while (last > first && isSite(parts[last])) last--
  while (first < last && isSite(parts[first])) first++
  if (first === 0 && last === parts.length - 1) return title
  const start = title.indexOf(parts[first])
  const end = title.lastIndexOf(parts[last]) + parts[last].length
  return end > start ? title.slice(start, end).trim() : title
}
