/** Crawls that a process runs: those that somebody waits for, and those in the background. */

export { crawlActs } from './crawl-acts.ts'
export type { CrawlDefinition, CrawlLimits } from './crawl-definition.ts'
export { type CrawlActName, type CrawlAnswer, crawlAnswers } from './crawl-schemas.ts'
export { type CrawlFigures, CrawlTotals } from './crawl-totals.ts'
export { type CrawlRequest, Crawls, type KnownCrawl, type RunningCrawl } from './crawls.ts'
export { progressOf, shownField } from './shown-crawl.ts'
