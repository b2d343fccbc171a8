/** The crawler: adds pages from the web, from files and from archives to an engine. */
export {
  type Corpus,
  type CorpusInput,
  corpusJsonSchema,
  corpusOfSeeds,
  corpusSchema,
  loadCorpus,
  parseCorpus,
} from './corpus/corpus.ts'
export {
  type CorpusPreview,
  type FieldPreview,
  type PreviewOptions,
  previewCorpus,
  type SeedPreview,
  type SitemapPreview,
  type TriedPage,
} from './corpus/corpus-preview.ts'
export { type CrawlEvent, type CrawlOptions, crawl } from './crawl/crawl.ts'
export { type CrawlEntry, listCrawls } from './crawl/crawl-journal.ts'
export { listFailures } from './crawl/failure-log.ts'
export { copyFrontiers } from './crawl/frontier-backup.ts'
export type { QueueLength } from './crawl/queue-lengths.ts'
export { tryNormalize } from './discovery/page-url.ts'
export { directoryOf, PathRules, Scope } from './discovery/scope.ts'
export { parseSitemap } from './discovery/sitemap.ts'
export type { Sitemap, SitemapEntry } from './discovery/sitemap-entry.ts'
export { CrawlError, type CrawlErrorCode, crawlErrorCodes, isCrawlError } from './errors.ts'
export type { Resolve } from './fetch/address-cache.ts'
export { type FetchedPage, Fetcher, type FetcherOptions, fetchPage, type PageFetchOptions } from './fetch/fetcher.ts'
export { checkUrl, type GuardOptions } from './fetch/guard.ts'
export { exportJsonl } from './files/export-jsonl.ts'
export { exportWarc, type WarcExportOptions } from './files/export-warc.ts'
export { type CsvImportOptions, importCsv } from './files/import-csv.ts'
export { type FileImportOptions, importedEndings, importFiles } from './files/import-files.ts'
export { importJson } from './files/import-json.ts'
export { importJsonl } from './files/import-jsonl.ts'
export type { RecordImportOptions } from './files/import-records.ts'
export type {
  ImportFailure,
  ImportOptions,
  ImportReport,
  ImportTarget,
  ImportWarning,
  UnknownField,
} from './files/import-report.ts'
export { importWacz } from './files/import-wacz.ts'
export { importWarc, type WarcImportOptions } from './files/import-warc.ts'
export { jsonLine } from './files/json-line.ts'
export type { RecordMapping } from './files/record-map.ts'
export { withTextBody } from './files/text-body.ts'
export { countDue, type DueCounts } from './frontier/due-counts.ts'
export type { StateCounts, UrlState } from './frontier/frontier-record.ts'
export { OpenFrontiers } from './frontier/open-frontiers.ts'
export type { PolitenessOptions } from './politeness/politeness.ts'
export { parseRobots, type RobotsRules } from './politeness/robots.ts'
export { RobotsGate } from './politeness/robots-gate.ts'
export type { RendererOptions } from './rendering/renderer.ts'
export type { CrawlFailure, CrawlReport } from './report/crawl-report.ts'
export type { TextLosses } from './report/text-losses.ts'
export type { VisitOutcome } from './report/visit-outcome.ts'
export { siteOf } from './site.ts'
export type { Timers } from './timers.ts'
export type { ExtractPage } from './visit/page-extraction.ts'
export { storeFetched } from './visit/store-fetched.ts'
export { parseRobotsTag } from './visit/x-robots-tag.ts'
export { type FetchVisited, PoliteFetcher, type PoliteFetcherOptions } from './walk/polite-fetcher.ts'
