import { everything } from '../content/content-choice.ts'
import { type ExtractedPage, pageOf } from '../extracted-page.ts'
import { pageLinks } from '../facts/page-links.ts'
import { parseHtml } from '../html/html-parser.ts'
import { LinkResolver } from '../html/link-resolver.ts'
import { writeMarkdown } from '../markdown/markdown-writer.ts'

/** Where references inside a document lead: to nothing on the web, so that only absolute addresses stay links. */
const INSIDE = 'document:///'

/** A page of all that some HTML says, no matter where it stands: for documents that have been turned into HTML. */
export function markedUpPage(html: string): ExtractedPage {
  const tree = parseHtml(html)
  const resolver = new LinkResolver(INSIDE)
  const markdown = writeMarkdown(tree, everything(tree, { hidden: false }), resolver)
  return { ...pageOf(markdown), links: pageLinks(tree, resolver) }
}

/** Text as HTML that means it. */
export function htmlOf(text: string): string {
  return text.replace(/[&<>"]/g, char => `&#${char.charCodeAt(0)};`)
}
