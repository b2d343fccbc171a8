import type { DateSource } from '../page.ts'
import type { WrittenDate } from './date-text.ts'

/** When a page was published, and what says so. */
export interface PublishedDate extends WrittenDate {
  source: DateSource
}

export function withSource(date: WrittenDate | undefined, source: DateSource): PublishedDate | undefined {
  return date && { ...date, source }
}

const changeWords =
  'modif|updat|(?<!\\p{L})edit(?!ion|or)|changed|aktualis|geändert|actuali|mise à jour|bijgewerkt|обновл'
const publishWords =
  'publish|posted|veröffentlicht|erstellt|publié|publicado|pubblicato|geplaatst|gepubliceerd|publicerad|opublikowan|' +
  'опубликован|yayın|released'

/** What introduces the date of a change. */
export const modifiedWords = new RegExp(changeWords, 'iu')
/** What introduces the date of publication. */
export const publishedWords = new RegExp(publishWords, 'iu')

const change = new RegExp(`(?:${changeWords}).*?(?=${publishWords}|$)`, 'gisu')

/** A line without what it says of a change: `5 May 2020 | Updated 7 May 2020` without its second half. */
export function withoutChange(text: string): string {
  return text.replace(change, ' ')
}
