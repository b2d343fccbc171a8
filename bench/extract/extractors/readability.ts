import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import TurndownService from 'turndown'
import { decodeBody } from '../../../extract/encoding/charset.ts'
import type { BenchExtract } from '../extractor.ts'

const turndown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' })

/** @mozilla/readability on linkedom; turndown converts its HTML to Markdown. asof decodes the bytes, which Readability cannot. */
export const extract: BenchExtract = async (html, _url, headers) => {
  // The types of linkedom are those of a browser, which Node.js does not have.
  const { document } = parseHTML(decodeBody(html, headers?.['content-type'])) as unknown as { document: never }
  const article = new Readability(document).parse()
  return {
    title: article?.title ?? undefined,
    author: article?.byline ?? undefined,
    publishedAt: article?.publishedTime ?? undefined,
    markdown: turndown.turndown(article?.content ?? ''),
  }
}
