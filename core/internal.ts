/**
 * `@asof/core/internal`: parts of the engine that crawler, service and transports share. Applications should not use
 * them, because any release may change them.
 */
export { parseInstant } from './dates/instant.ts'
export { queryInstant } from './dates/resolve-times.ts'
export { type ParsedRules, parseFieldRules } from './extract/page-fields/field-rules.ts'
export { loadOptional, type OptionalPackages } from './optional-packages.ts'
export { datePrecisions, dateSources, pageKinds } from './page.ts'
export { closeTree, stillOpen } from './private-folder.ts'
export { expectIndex } from './repair/index-folder.ts'
export { firstResults } from './search/first-results.ts'
export { analyzeQuery } from './search/query/analyze-query.ts'
export { checkSearch } from './search/resolve-search.ts'
export { queryTerms } from './text/terms/query-terms.ts'
export { normalizeUrl } from './url.ts'
