import { hash } from 'node:crypto'
import type { Form, Metadata } from '../store/records/revision-record.ts'
import { METADATA_DIGITS } from '../store/records/url-record.ts'

/**
 * Equal for the same metadata in the same form: publish date and where it comes from, author, kind, language, description,
 * site name and structured data; title and Markdown with their white space and markup.
 */
export function metadataFingerprint({ publishedAt, details }: Metadata, { title, markdown }: Form): string {
  const { author, description, kind, lang, siteName, publishedFrom, data } = details
  const said = [
    publishedAt,
    publishedFrom && [publishedFrom.source, publishedFrom.precision],
    author,
    description,
    kind,
    lang,
    siteName,
  ]
  const text = `${JSON.stringify(said)}${data === undefined ? '' : JSON.stringify(data)}`
  return half(text) + half(`${title}\0${markdown}`)
}

function half(text: string): string {
  return hash('sha256', text, 'hex').slice(0, METADATA_DIGITS / 2)
}
