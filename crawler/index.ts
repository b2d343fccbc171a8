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
export { parseSitemap } from './discovery/sitemap.ts'
export type { Sitemap, SitemapEntry } from './discovery/sitemap-entry.ts'
export { CrawlError, type CrawlErrorCode, crawlErrorCodes, isCrawlError, type KnownError } from './errors.ts'
export { type FetchedPage, Fetcher, type FetcherOptions, fetchPage, type PageFetchOptions } from './fetch/fetcher.ts'
export { checkUrl, type GuardOptions, isPublicAddress } from './fetch/guard.ts'
export { exportJsonl } from './files/export-jsonl.ts'
export { exportWarc, type WarcExportOptions } from './files/export-warc.ts'
export { type CsvImportOptions, importCsv } from './files/import-csv.ts'
export { type FileImportOptions, importedEndings, importFiles } from './files/import-files.ts'
export { importJson } from './files/import-json.ts'
export { importJsonl } from './files/import-jsonl.ts'
export type { RecordImportOptions } from './files/import-records.ts'
export type { ImportOptions, ImportReport, ImportTarget } from './files/import-report.ts'
export { importWacz } from './files/import-wacz.ts'
export { importWarc, type WarcImportOptions } from './files/import-warc.ts'
export { jsonLine } from './files/json-line.ts'
export { withTextBody } from './files/text-body.ts'
export { countDue, type DueCounts } from './frontier/due-counts.ts'
export { OpenFrontiers } from './frontier/open-frontiers.ts'
export { MAX_ROBOTS_BYTES, parseRobots, type RobotsRules } from './politeness/robots.ts'
export { RobotsGate } from './politeness/robots-gate.ts'
export type { CrawlFailure, CrawlReport } from './report/crawl-report.ts'
export { storeFetched } from './visit/store-fetched.ts'
