import { findByAttribute, findByTag, mergeInPageOrder } from '../html/element-index.ts'
import type { HtmlTree } from '../html/html-tree.ts'
import { textOf } from '../html/html-tree.ts'
import { firstMeta, type PageMetadata } from '../structured/page-metadata.ts'
import {
  type DayOrder,
  isCoarse,
  parseMachineDate,
  parseTextDate,
  type WrittenDate,
} from '../written-dates/date-text.ts'

const modifiedMeta = (
  'article:modified_time og:article:modified_time article:modified og:updated_time datemodified date_modified ' +
  'dcterms.modified dc.date.modified dc.modified lastmod last-modified modified_time modified updated_time ' +
  'sailthru.modified_date article.updated bt:moddate'
).split(' ')

/**
 * Returns the declared time of the last change, in the format of `ExtractedPage.publishedAt`. The sources are tried in
 * this order: JSON-LD of the article, meta elements, and microdata or `<time>` elements with a name for changes.
 *
 * @returns undefined if the page declares none.
 */
export function modifiedDateOf(tree: HtmlTree, metadata: PageMetadata, order: DayOrder): string | undefined {
  const declared = [metadata.article?.dateModified, firstMeta(metadata, modifiedMeta)]
  for (const value of declared) {
    const date = typeof value === 'string' ? parse(value, order) : undefined
    if (date) return date.iso
  }
  for (const node of mergeInPageOrder(findByAttribute(tree, 'itemprop'), findByTag(tree, 'time'))) {
    const { itemprop, datetime, content, class: classes } = node.attributes
    const isModified =
      (itemprop !== undefined && /(?:^|\s)dateModified(?:\s|$)/.test(itemprop.slice(0, 100))) ||
      (node.tag === 'time' && classes !== undefined && /\b(?:updated|modified)\b/.test(classes.slice(0, 200)))
    // A `<time class="published updated">` has the publish date too.
    if (!isModified || /published/i.test(classes?.slice(0, 200) ?? '')) continue
    const date = parse(content ?? datetime ?? textOf(tree, node, 200), order)
    if (date) return date.iso
  }
  return undefined
}

function parse(value: string, order: DayOrder): WrittenDate | undefined {
  const date = parseMachineDate(value) ?? parseTextDate(value, order)
  return date && isCoarse(date) ? undefined : date
}
