import { Defuddle } from 'defuddle/node'
import { parseHTML } from 'linkedom'
import { decodeBody } from '../../../extract/encoding/charset.ts'
import type { BenchExtract } from '../extractor.ts'

/** defuddle on linkedom, with its own Markdown and without calls to web services. asof decodes the bytes. */
export const extract: BenchExtract = async (html, url, headers) => {
  // The types of linkedom are those of a browser, which Node.js does not have.
  const { document } = parseHTML(decodeBody(html, headers?.['content-type'])) as unknown as { document: never }
  const { title, author, published, content } = await Defuddle(document, url, { markdown: true, useAsync: false })
  return { title, author, publishedAt: published, markdown: content }
}
