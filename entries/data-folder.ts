/** `asof/data-folder`: opens a data folder as the command line does, for programs that include a server. */
export type { JobLimits } from '../service/crawl-jobs/index.ts'
export type {
  CrawlDefinition,
  CrawlFigures,
  CrawlLimits,
  CrawlRequest,
  Crawls,
  KnownCrawl,
  RunningCrawl,
} from '../service/crawls/index.ts'
export {
  type BackupRequest,
  type ClusterSetup,
  type DataFolder,
  type DataFolderOptions,
  type FolderPart,
  type LocalDataFolder,
  type LocalModelSettings,
  type LocalRerankerSettings,
  type OnnxModelSettings,
  type OpenedPart,
  type OwnLedger,
  openDataFolder,
  type PartOperation,
  type PartPlace,
  type PartRun,
  reachDataFolder,
  type TrecPart,
} from '../service/data-folder/index.ts'
export type { JournalSnapshot } from '../service/records/index.ts'
