import type { ExtractedPage } from '@asof/core'
import type { FetchedPage } from '../fetch/fetcher.ts'

const LITTLE_TEXT_CHARS = 300
/** A page that has its text only once its scripts have run is small. */
const MAX_SHELL_BYTES = 1024 * 1024
// No part of either can be matched from two starting points, so both are linear.
const appRoot =
  /<(?:div|main|section)\b[^<>]{0,200}\bid=["']?(?:root|app|__next|__nuxt|___gatsby|svelte|main-app)\b|<app-root\b|\bng-app\b/i
const askForScripts = /<noscript>[^<]{0,500}javascript/i

export function isHtml({ contentType = 'text/html' }: FetchedPage): boolean {
  return /html/i.test(contentType)
}

/** Whether a page seems to have its text only once its scripts have run: it has little text, and an app's empty root. */
export function needsRendering(page: FetchedPage, extracted: ExtractedPage): boolean {
  if (!isHtml(page) || extracted.markdown.length > LITTLE_TEXT_CHARS) return false
  const html = Buffer.from(page.body.subarray(0, MAX_SHELL_BYTES)).toString('latin1')
  return /<script/i.test(html) && (appRoot.test(html) || askForScripts.test(html))
}
