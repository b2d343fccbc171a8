import type { DateSource } from '../page.ts'
import type { WrittenDate } from './date-text.ts'

/** When a page was published, and what says so. */
export interface PublishedDate extends WrittenDate {
  source: DateSource
}

export function withSource(date: WrittenDate | undefined, source: DateSource): PublishedDate | undefined {
  return date && { ...date, source }
}

/** What introduces the date of a change. */
export const modifiedWords = /modif|updat|edit|aktualis|geändert|actuali|mise à jour|bijgewerkt|обновл/i
