import type { ExtractedPage } from '@asof/core'
import type { FetchedPage } from '../fetch/fetcher.ts'

const LITTLE_TEXT_CHARS = 300
/** Maximum number of bytes of HTML that are searched. If scripts make the text of a page, its HTML is small. */
const MAX_SHELL_BYTES = 1024 * 1024
// Bounded repetitions make both patterns run in linear time.
const appRoot =
  /<(?:div|main|section)\b[^<>]{0,200}\bid=["']?(?:root|app|__next|__nuxt|___gatsby|svelte|main-app)\b|<app-root\b|\bng-app\b/i
const askForScripts = /<noscript>[^<]{0,500}javascript/i

export function isHtml({ contentType = 'text/html' }: FetchedPage): boolean {
  return /html/i.test(contentType)
}

/**
 * True if scripts seem to make the text of a page, because it has little text and the root element of an app framework.
 */
export function needsRendering(page: FetchedPage, extracted: ExtractedPage): boolean {
  if (!isHtml(page) || extracted.markdown.length > LITTLE_TEXT_CHARS) return false
  const html = Buffer.from(page.body.subarray(0, MAX_SHELL_BYTES)).toString('latin1')
  return /<script/i.test(html) && (appRoot.test(html) || askForScripts.test(html))
}
