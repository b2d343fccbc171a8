import { decodeBody, tidy } from '../encoding/charset.ts'
import { type ExtractedPage, pageOf } from '../extracted-page.ts'
import { htmlOf, markedUpPage } from './marked-up-page.ts'
import { pageOfMhtml } from './mhtml-part.ts'
import { rtfParagraphs } from './rtf-text.ts'

const HEAD_BYTES = 1000

/**
 * Reads a document that is embedded in another as text: HTML, a web archive, Rich Text or plain text. Returns undefined
 * for other formats.
 */
export function readEmbeddedText(path: string, bytes: Uint8Array): ExtractedPage | undefined {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1').replace(/^ï»¿/, '').trimStart()
  if (head.startsWith('{\\rtf')) return pageOfParagraphs(rtfParagraphs(bytes))
  if (/\.(?:mht|mhtml|eml)$/i.test(path) || /^(?:mime-version|content-type|from|subject|date):/i.test(head)) {
    const part = pageOfMhtml(bytes)
    return part && (/html/i.test(part.type) ? pageOfHtml(part.bytes, part.type) : pageOfText(part.bytes, part.type))
  }
  if (/\.te?xt$/i.test(path)) return pageOfText(bytes)
  if (/^<(?:!|\?xml|[a-z])/i.test(head) || /\.x?html?$/i.test(path)) return pageOfHtml(bytes)
  return head.includes('\0') && !/^(?:ÿþ|þÿ)/.test(head) ? undefined : pageOfText(bytes)
}

function pageOfHtml(bytes: Uint8Array, contentType?: string): ExtractedPage {
  return markedUpPage(tidy(decodeBody(bytes, contentType)))
}

function pageOfText(bytes: Uint8Array, contentType?: string): ExtractedPage {
  return pageOfParagraphs(tidy(decodeBody(bytes, contentType)).split(/\r?\n/))
}

export function pageOfParagraphs(paragraphs: readonly string[]): ExtractedPage {
  const html = paragraphs.map(text => (text.trim() === '' ? '' : `<p>${htmlOf(text)}</p>`)).join('')
  return html === '' ? pageOf('') : markedUpPage(html)
}
