import type { Form, Metadata } from '../store/records/revision-record.ts'
import { METADATA_DIGITS } from '../store/records/url-record.ts'
import { textDigest } from './text-digest.ts'

/**
 * Returns a fingerprint of the metadata of a capture (publish date and where it was found, author, kind, language,
 * description, site name, structured data, fields) and of its form (title and Markdown with markup and white space).
 */
export function metadataFingerprint({ publishedAt, details }: Metadata, { title, markdown }: Form): string {
  const { author, description, kind, lang, siteName, publishedFrom, data, fields } = details
  const values = [
    publishedAt,
    publishedFrom && [publishedFrom.source, publishedFrom.precision],
    author,
    description,
    kind,
    lang,
    siteName,
  ]
  const [items, given] = [data, fields].map(part => (part === undefined ? '' : JSON.stringify(part)))
  const half = METADATA_DIGITS / 2
  return textDigest([`${JSON.stringify(values)}${items}${given}`], half) + textDigest([title, '\0', markdown], half)
}
