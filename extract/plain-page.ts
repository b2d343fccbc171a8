import { clip } from './characters/surrogates.ts'
import { type ExtractedPage, pageOf } from './extracted-page.ts'
import { collapse } from './html/html-tree.ts'
import { LinkResolver } from './html/link-resolver.ts'
import { escapeLines } from './markdown/escaped-lines.ts'
import { markdownLinks } from './markdown-source/markdown-links.ts'
import { type MarkdownSourceOptions, readMarkdownSource } from './markdown-source/markdown-source.ts'

const MAX_TITLE_CHARS = 300

/** Extracts a plain text body. Escapes its lines. The title is the first line, if it is short enough. */
export function extractText(source: string): ExtractedPage {
  const { markdown, first } = escapeLines(source)
  return { ...pageOf(markdown), title: first !== undefined && first.length <= 150 ? first : undefined }
}

/**
 * Extracts a Markdown or MDX body. Removes only front matter and MDX. The title comes from front matter, or else from
 * the first heading of level 1, or else from the first heading.
 */
export function extractMarkdown(source: string, options: { url: string } & MarkdownSourceOptions): ExtractedPage {
  const { markdown: body, ...fields } = readMarkdownSource(source, options)
  const markdown = body.trim()
  let title: string | undefined
  let anyHeading: string | undefined
  let fence = ''
  for (const line of markdown.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark !== undefined) fence = fence === '' ? mark : mark.startsWith(fence) ? '' : fence
    if (fence !== '' || mark !== undefined) continue
    const [, level, heading] = /^ {0,3}(#{1,6})[ \t]+(.*)$/.exec(line) ?? []
    if (heading !== undefined) {
      const text = clip(headingText(heading.slice(0, MAX_HEADING_CHARS)), MAX_TITLE_CHARS)
      if (text !== '') anyHeading ??= text
      if (text !== '' && level === '#') title ??= text
    }
  }
  title ??= htmlHeading(markdown) ?? anyHeading
  return {
    ...pageOf(markdown),
    links: markdownLinks(markdown, new LinkResolver(options.url)),
    ...fields,
    title: fields.title ?? title,
  }
}

const MAX_HEADING_CHARS = 4000

/** Returns the text of a heading without images such as logos and badges; '' if it has no letters or digits. */
function headingText(heading: string): string {
  const words = heading
    .replace(/[ \t]#+[ \t]*$/, '')
    .replace(/!\[[^[\]]{0,300}\](?:\([^()]{0,2000}\)|\[[^[\]]{0,100}\])/g, '')
    .replace(/\[([^[\]]{0,300})\](?:\([^()]{0,2000}\)|\[[^[\]]{0,100}\])/g, '$1')
    .replace(/<[^<>]{0,500}>/g, ' ')
  return /[\p{L}\p{N}]/u.test(words) ? collapse(words) : ''
}

/** Number of characters at the start of a body that are searched for an HTML title. */
const MAX_HEAD_CHARS = 4000

/** Returns the title in `<h1 align="center">Name</h1>`, as in many README files. */
function htmlHeading(markdown: string): string | undefined {
  const head = markdown.slice(0, MAX_HEAD_CHARS)
  const start = head.search(/<h1[\s>]/i)
  const end = start < 0 ? -1 : head.toLowerCase().indexOf('</h1>', start)
  const text = end < 0 ? '' : clip(headingText(head.slice(start, end).replace(/^<h1[^>]*>?/i, '')), MAX_TITLE_CHARS)
  return text === '' ? undefined : text
}
