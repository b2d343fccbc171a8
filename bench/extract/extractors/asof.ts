import { extractPage } from '@asof/extract'
import type { BenchExtract } from '../extractor.ts'

/** asof in the calling thread, as in a worker of its pool. */
export const extract: BenchExtract = async (html, url, headers) => {
  const contentType = headers?.['content-type']
  return extractPage(html, { url, contentType })
}
