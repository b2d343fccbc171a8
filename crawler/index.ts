/** The crawler: brings the web, files and archives into an engine. */
export { type Corpus, type CorpusInput, corpusJsonSchema, corpusSchema, loadCorpus, parseCorpus } from './corpus.ts'
export {
  type CorpusPreview,
  type PreviewOptions,
  previewCorpus,
  type SeedPreview,
  type SitemapPreview,
} from './corpus-preview.ts'
export { type CrawlEvent, type CrawlOptions, crawl } from './crawl.ts'
export { type CrawlEntry, listCrawls } from './crawl-journal.ts'
export type { CrawlReport } from './crawl-report.ts'
export { exportJsonl } from './export-jsonl.ts'
export { exportWarc, type WarcExportOptions } from './export-warc.ts'
export { type FetchedPage, Fetcher, type FetcherOptions, type FetchRequest, fetchPage } from './fetcher.ts'
export { copyFrontiers } from './frontier-backup.ts'
export { checkUrl, type GuardOptions, isPublicAddress } from './guard.ts'
export { type FolderImportOptions, importFolder } from './import-folder.ts'
export { importJsonl } from './import-jsonl.ts'
export type { ImportOptions, ImportReport } from './import-report.ts'
export { importWacz } from './import-wacz.ts'
export { importWarc, type WarcImportOptions } from './import-warc.ts'
export type { QueueLength } from './queue-lengths.ts'
export { MAX_ROBOTS_BYTES, parseRobots, type RobotsRules } from './robots.ts'
export { RobotsGate } from './robots-gate.ts'
export { parseSitemap, type Sitemap, type SitemapEntry } from './sitemap.ts'
export { storeFetched } from './store-fetched.ts'
