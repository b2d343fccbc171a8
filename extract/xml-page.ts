import type { ExtractedPage } from './extracted-page.ts'
import { feedListing } from './feed-listing.ts'
import { readFeed } from './feed-page.ts'
import { xmlToHtml } from './html/xml-to-html.ts'
import { extractHtml } from './html-page.ts'
import { readPicture } from './svg-page.ts'
import { readXmlArticle } from './xml-articles/xml-article-page.ts'

/**
 * Extracts an XML body. An RSS or Atom feed becomes a list of its entries, an SVG picture its descriptions and its texts, and
 * JATS and DocBook articles with sections. XHTML and other XML is read as HTML, by the rules of XML.
 */
export function extractXml(source: string, options: { url: string; latestAt?: number }): ExtractedPage {
  const feed = readFeed(source, options.url)
  if (feed) return feedListing(feed, options.url)
  return readPicture(source) ?? readXmlArticle(source, options) ?? extractHtml(xmlToHtml(source), options)
}
