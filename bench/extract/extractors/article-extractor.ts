import { extractFromHtml } from '@extractus/article-extractor'
import TurndownService from 'turndown'
import { decodeBody } from '../../../extract/encoding/charset.ts'
import type { BenchExtract } from '../extractor.ts'

const turndown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' })

/** @extractus/article-extractor; turndown converts its HTML to Markdown. asof decodes the bytes. */
export const extract: BenchExtract = async (html, url, headers) => {
  const article = await extractFromHtml(decodeBody(html, headers?.['content-type']), url)
  return {
    title: article?.title,
    author: article?.author,
    publishedAt: article?.published,
    markdown: turndown.turndown(article?.content ?? ''),
  }
}
