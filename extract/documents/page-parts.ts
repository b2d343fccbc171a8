import { type ExtractedPage, pageOf } from '../extracted-page.ts'
import type { PageLink } from '../page.ts'

const MAX_LINKS = 5000
/** Maximum length of the Markdown, the same as that of a web page. */
const MAX_MARKDOWN_CHARS = 20 * 1024 * 1024

/** Joins parts, such as chapters or slides, to one page, separated by horizontal rules. Leaves out empty parts. */
export function joinPages(parts: readonly ExtractedPage[]): ExtractedPage {
  const texts: string[] = []
  const links = new Map<string, PageLink>()
  let chars = 0
  for (const part of parts) {
    if (part.markdown === '' || chars + part.markdown.length > MAX_MARKDOWN_CHARS) continue
    chars += part.markdown.length
    texts.push(part.markdown)
    for (const link of part.links) if (!links.has(link.url) && links.size < MAX_LINKS) links.set(link.url, link)
  }
  return { ...pageOf(texts.join('\n\n---\n\n')), links: [...links.values()] }
}
