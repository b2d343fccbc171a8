import { readBody } from './encoding/charset.ts'
import { readDoctype } from './html/xml-doctype.ts'
import { localName, readXml } from './html/xml-reader.ts'
import { vocabularyOf } from './xml-articles/vocabulary.ts'

/** Number of bytes at the start of a file in which its vocabulary shows. */
const HEAD_BYTES = 256 * 1024
/** Roots of XHTML, feeds and TEI. A feed of RSS 1.0 is RDF, which is data otherwise. */
const textRoots = new Set(['html', 'rss', 'feed', 'tei', 'tei.2', 'teicorpus'])
const DITA = /-\/\/OASIS\/\/DTD DITA (?!(?:BookMap|Map)\b)/i

/** What an XML file has for people: a text, or a picture, which may have no text. */
export type XmlDocumentKind = 'text' | 'picture'

/**
 * Returns the kind of an XML file that is a document for people: XHTML, JATS, DocBook, TEI, DITA, a feed or a picture. Returns undefined for
 * settings, data, sitemaps and other XML, whatever text it has.
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
