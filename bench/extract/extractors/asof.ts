import { extractPage } from '../../../core/extract/extract-page.ts'
import type { BenchExtract } from '../extractor.ts'

/** asof in the calling thread: what a worker of the pool does. */
export const extract: BenchExtract = async (html, url, headers) => {
  const contentType = headers?.['content-type']
  return extractPage(html, { url, ...(contentType !== undefined && { contentType }) })
}
