import { fieldsFrom } from '../documents/document-properties.ts'
import { markedUpPage } from '../documents/marked-up-page.ts'
import { type ExtractedPage, type ExtractOptions, unreadParts, withWarnings } from '../extracted-page.ts'
import { articleFacts } from './article-facts.ts'
import { articleHtml, MAX_ARTICLE_DEPTH } from './article-html.ts'
import { articleLabels } from './article-labels.ts'
import { rulesOf, vocabularyOf } from './vocabulary.ts'

/** Reads an article or book in JATS or DocBook. Returns undefined for other XML. Files that the article includes give a warning. */
export function readXmlArticle(source: string, { url, latestAt }: ExtractOptions): ExtractedPage | undefined {
  const vocabulary = vocabularyOf(source)
  if (vocabulary === undefined) return undefined
  const { html, includes, isCut } = articleHtml(source, rulesOf[vocabulary], articleLabels(source))
  const page = markedUpPage(html, url)
  const fields = fieldsFrom(articleFacts(source), page.markdown, latestAt)
  const warnings = unreadParts(includes, 'included file')
  if (isCut) warnings.push({ code: 'cut', message: `only read to the maximum depth of ${MAX_ARTICLE_DEPTH} elements` })
  return withWarnings({ ...page, ...fields, kind: vocabulary === 'jats' ? 'article' : undefined }, warnings)
}
