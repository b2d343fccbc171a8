/** `@asof/extract/written-dates`: calendar days in texts, as the text of a page or a query writes them. */
export { type DayOrder, dayOrder, parseDeclaredDate, parseTextDate, type WrittenDate } from './date-text.ts'
export { readEpoch } from './epoch.ts'
export { readMailDate } from './mail-date.ts'
export { monthOf } from './month-names.ts'
