import { readBody, tidy } from './encoding/charset.ts'
import { type BodyKind, type DocumentKind, isDocument } from './encoding/media-type.ts'
import { replacedCharacters } from './encoding/replaced-characters.ts'
import { optionsReader } from './errors/options.ts'
import { type ExtractedPage, type ExtractOptions, extractOptionKinds, withWarnings } from './extracted-page.ts'
import { xmlToHtml } from './html/xml-to-html.ts'
import { extractHtml } from './html-page.ts'
import { extractJson } from './json-page.ts'
import { kindOfBody, unsupportedBody } from './kind-of-body.ts'
import { extractMarkdown, extractText } from './plain-page.ts'
import { extractXml } from './xml-page.ts'

const readOptions = optionsReader<ExtractOptions>(extractOptionKinds, { required: ['url'] })

/**
 * Extracts content and metadata from the body of a page, in the calling thread. The same input always gives the same
 * page. The time is linear in the size of the body, but not limited; see `extract`.
 *
 * @param body - at most 20 MiB. The size of a string is that of its UTF-8 bytes.
 * @throws ASOF_EXTRACT_TOO_LARGE
 * @throws ASOF_UNSUPPORTED_TYPE - not HTML, text, Markdown, JSON or XML. `extract` reads documents.
 * @throws ASOF_INVALID_URL
 * @throws ASOF_INVALID_OPTION - an unknown option, or one of another type; a wrong rule of `fields`; or `body` is neither a string nor bytes.
 */
export function extractPage(body: Uint8Array | string, options: ExtractOptions): ExtractedPage {
  const read = readOptions(options)
  const kind = kindOfBody(body, read)
  if (isDocument(kind)) throw unsupportedBody(read.contentType ?? `application/${kind}`)
  if (typeof body === 'string') return extractSource(tidy(body), kind, read)
  const { text: source, contradicts } = readBody(body, read.contentType)
  const replaced = replacedCharacters(source, body)
  const page = withWarnings(
    extractSource(source, kind, read),
    contradicts === undefined
      ? []
      : [{ code: 'charset', message: `declared as ${contradicts.declared}, read as ${contradicts.encoding}` }],
  )
  return replaced === 0 ? page : { ...page, replacedCharacters: replaced }
}

function extractSource(source: string, kind: Exclude<BodyKind, DocumentKind>, options: ExtractOptions): ExtractedPage {
  switch (kind) {
    case 'html':
      return extractHtml(source, options)
    case 'xhtml':
      return extractHtml(xmlToHtml(source), options)
    case 'xml':
      return extractXml(source, options)
    case 'json':
      return extractJson(source, options)
    case 'markdown':
    case 'mdx':
      return extractMarkdown(source, { ...options, mdx: kind === 'mdx' })
    case 'text':
      return extractText(source)
  }
}
