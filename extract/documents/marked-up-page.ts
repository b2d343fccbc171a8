import { chooseEverything } from '../content/content-choice.ts'
import { type ExtractedPage, pageOf } from '../extracted-page.ts'
import { pageLinks } from '../facts/page-links.ts'
import { parseHtml } from '../html/html-parser.ts'
import { LinkResolver } from '../html/link-resolver.ts'
import { writeMarkdown } from '../markdown/markdown-writer.ts'

/** The base URL of a document. It is not http(s), so relative references do not become links. */
const DOCUMENT_BASE = 'document:///'

/**
 * Returns a page with all content of a document that was converted to HTML.
 *
 * @param url - the base of relative references. Default: they do not become links.
 */
export function markedUpPage(html: string, url = DOCUMENT_BASE): ExtractedPage {
  const tree = parseHtml(html)
  const resolver = new LinkResolver(url)
  const markdown = writeMarkdown(tree, chooseEverything(tree, { hidden: false }), resolver)
  return { ...pageOf(markdown), links: pageLinks(tree, resolver) }
}

/** Escapes text for HTML. */
export function htmlOf(text: string): string {
  return text.replace(/[&<>"]/g, char => `&#${char.charCodeAt(0)};`)
}
