import { readBody } from './encoding/charset.ts'
import { readDoctype } from './html/xml-doctype.ts'
import { localName, readXml } from './html/xml-reader.ts'
import { teiRoots } from './html/xml-to-html.ts'
import { vocabularyOf } from './xml-articles/vocabulary.ts'

/** Number of bytes at the start of a file in which its vocabulary shows. */
const HEAD_BYTES = 256 * 1024
/** Roots of XHTML, feeds and TEI. The root of RSS 1.0 is not among them, because other RDF is data. */
const textRoots: ReadonlySet<string> = new Set(['html', 'rss', 'feed', ...teiRoots])
const DITA = /-\/\/OASIS\/\/DTD DITA (?!(?:BookMap|Map)\b)/i

/** The kind of an XML file for people. A picture may have no text. */
export type XmlDocumentKind = 'text' | 'picture'

/**
 * Returns the kind of an XML file that is a document for people: XHTML, JATS, DocBook, TEI, DITA, a feed or a picture. Returns undefined
 * for other XML, such as settings, data and sitemaps.
 */
export function xmlDocumentKind(bytes: Uint8Array): XmlDocumentKind | undefined {
  const source = readBody(bytes.subarray(0, HEAD_BYTES), undefined).text
  const { start, end } = readDoctype(source)
  let root = ''
  let isText = DITA.test(source.slice(start, end))
  readXml(source, {
    open: (written, attributes) => {
      root = localName(written)
      isText ||=
        textRoots.has(root) ||
        Object.values(attributes).includes('http://purl.org/rss/1.0/') ||
        attributes.class?.startsWith('- topic/topic ') === true
      return false
    },
  })
  if (root === 'svg') return 'picture'
  return isText || vocabularyOf(source) !== undefined ? 'text' : undefined
}
