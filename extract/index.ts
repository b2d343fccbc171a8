import './expect-node.ts'

export type { ContentExplanation, DroppedText } from './content/dropped-text.ts'
export type { DroppingRule } from './content/dropping-rules.ts'
export { AsofError, type ErrorKind, isAsofError } from './errors/errors.ts'
export { type DatesOptions, extractDates } from './extract-dates.ts'
export { extractPage } from './extract-page.ts'
export { ExtractPool, type ExtractPoolOptions, type ExtractRunOptions, extract } from './extract-pool.ts'
export type { ExtractedPage, ExtractOptions, ExtractWarning, PageDates } from './extracted-page.ts'
export type { Breadcrumb } from './facts/breadcrumbs.ts'
export type { RobotsDirectives } from './facts/page-declarations.ts'
export type { Refresh } from './facts/page-refresh.ts'
export { type HtmlToMarkdownOptions, htmlToMarkdown } from './html-to-markdown.ts'
export type {
  DatePrecision,
  DateSource,
  FieldScalar,
  Fields,
  FieldText,
  FieldType,
  FieldValue,
  PageKind,
  PageLink,
  StructuredItem,
} from './page.ts'
export type { FieldRule, FieldRules, FieldSource } from './page-fields/field-rules.ts'
