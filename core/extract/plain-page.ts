import type { ExtractedPage } from './extracted-page.ts'
import { clip, collapse } from './html-tree.ts'
import { LinkResolver, withoutFragment } from './link-resolver.ts'
import { escapeInline, escapeLineStart } from './markdown-escape.ts'

const MAX_TITLE_CHARS = 300
const MAX_LINKS = 5000

/** A plain text body: paragraphs as they stand, escaped; the first line is the title when it looks like one. */
export function extractText(source: string): ExtractedPage {
  const lines = source.split(/\r\n?|\n/)
  const first = lines.find(line => line.trim() !== '')?.trim()
  const title = first !== undefined && first.length <= 150 ? first : undefined
  const markdown = lines
    .map(line => escapeLineStart(escapeInline(line.trim(), false)))
    .join('\n')
    .trim()
  return { ...plainPage(markdown), ...(title === undefined ? {} : { title }) }
}

/** A markdown body as it is; the title is its first heading of level 1, else its first heading. */
export function extractMarkdown(source: string, options: { url: string }): ExtractedPage {
  const markdown = source.replace(/\r\n?/g, '\n').trim()
  const resolver = new LinkResolver(options.url)
  const links = new Map<string, { url: string; text: string; nofollow: boolean }>()
  let title: string | undefined
  let anyHeading: string | undefined
  let fence = ''
  for (const line of markdown.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark !== undefined) fence = fence === '' ? mark : mark.startsWith(fence) ? '' : fence
    if (fence !== '' || mark !== undefined) continue
    const heading = /^ {0,3}(#{1,6})[ \t]+(.*)$/.exec(line)
    if (heading) {
      const text = clip(collapse(heading[2].replace(/[ \t]#+[ \t]*$/, '')), MAX_TITLE_CHARS)
      if (text !== '') anyHeading ??= text
      if (text !== '' && heading[1] === '#') title ??= text
    }
    if (links.size >= MAX_LINKS) continue
    for (const match of line.slice(0, 10_000).matchAll(/(?<!!)\[([^[\]]{0,300})\]\(<?([^\s()<>]{1,2000})/g)) {
      const resolved = resolver.resolve(match[2])
      if (resolved === undefined || match[2].startsWith('#')) continue
      const url = withoutFragment(resolved)
      if (!links.has(url) && links.size < MAX_LINKS) links.set(url, { url, text: collapse(match[1]), nofollow: false })
    }
  }
  title ??= anyHeading
  return { ...plainPage(markdown), links: [...links.values()], ...(title === undefined ? {} : { title }) }
}

export function plainPage(markdown: string): ExtractedPage {
  return { robots: { noindex: false, nofollow: false }, markdown, links: [], data: [] }
}
