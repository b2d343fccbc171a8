import { htmlOf } from '../documents/marked-up-page.ts'
import type { Attributes } from '../html/html-tree.ts'

/** Match the text of a reference to a note, and the text of a reference to entries of the bibliography. */
const noteMark = /^\W{0,2}(?:\d{1,4}|[a-z]|[ivx]{1,6}|[*†‡§¶]{1,3})\W{0,2}$/i
const citationMark = /^[\s\d,;–—-]+$|^[*†‡§¶]{1,3}$/

/** Returns the reference to a footnote of the article. */
export function noteReference(id: string, mark: string): string {
  return `<sup>${noteLink(id, mark, true)}</sup>`
}

function noteLink(id: string, html: string, isNote: boolean): string {
  return `<a${isNote ? ' class="noteref"' : ''} href="#${htmlOf(encodeURIComponent(id))}">${html}</a>`
}

/** A reference inside an article. */
export interface Reference {
  attributes: Attributes
  /** The content as HTML; empty if the text is to be that of the target. */
  inner: string
  /** The end of the text before it. */
  before: string
  /** True if an element around it is raised already. */
  isRaised: boolean
  labels: ReadonlyMap<string, string>
}

/**
 * Returns a reference to a footnote as a raised link, and also a reference to a citation that follows a word without a space. Returns other
 * references as text.
 */
export function referenceHtml({ attributes, inner, before, isRaised, labels }: Reference): string {
  const { rid, linkend, 'ref-type': type } = attributes
  const target = (rid ?? linkend ?? '').trim()
  const text = inner.trim() === '' ? htmlOf(labels.get(target) ?? '') : inner
  const plain = text.replace(/<[^<>]*>/g, '').trim()
  const isNote = /^(?:fn|table-fn|author-notes)$/.test(type ?? '') && noteMark.test(plain)
  const isAtWord = /[\p{L}\p{N}.,;:!?)”"’]$/u.test(before)
  if (!isNote && !((isAtWord || isRaised) && type === 'bibr' && citationMark.test(plain))) return text
  const link = noteLink(target, text, isNote)
  return isRaised || inner.includes('<sup') ? link : `<sup>${link}</sup>`
}

/** Returns a link to the web; the text alone, if the link leads to another part of the article. */
export function linkHtml(
  name: string,
  attributes: Attributes,
  inner: string,
  labels: ReadonlyMap<string, string>,
): string {
  const written = attributes['xlink:href'] ?? attributes['xl:href'] ?? attributes.url ?? attributes.href ?? ''
  const isDoi = attributes['ext-link-type'] === 'doi' && written.startsWith('10.')
  const url = isDoi ? `https://doi.org/${written}` : written.replace(/^www\./i, 'http://www.')
  const target = attributes.linkend ?? (url.startsWith('#') ? url.slice(1) : undefined)
  const own = target === undefined ? url : (labels.get(target) ?? '')
  const text = inner.trim() === '' ? htmlOf(own) : inner
  if (url !== '' && target === undefined) return `<a href="${htmlOf(url)}">${text}</a>`
  const isAddress = name === 'uri' && /^https?:/.test(text)
  return isAddress ? `<a href="${text}">${text}</a>` : text
}

/** Returns an image; '' if its address is not that of a file. In JATS, the address is often only a name. */
export function imageHtml(attributes: Attributes): string {
  const url = attributes['xlink:href'] ?? attributes.fileref ?? ''
  return /\.(?:png|jpe?g|gif|svg|webp)$/i.test(url) ? `<img src="${htmlOf(url)}" alt="">` : ''
}
