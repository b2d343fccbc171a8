/** `asof/data-folder`: opens a data folder as the command line does, for programs that include a server. */
export type { CrawlLimits, CrawlRequest } from '../crawls/index.ts'
export { examineAccountsOf, hasAccounts, moveAccountsOf, withAccounts } from './account-folder.ts'
export {
  accessDir,
  type BackupRequest,
  type DataFolder,
  frontierDir,
  type LocalDataFolder,
  settingsFile,
} from './data-folder.ts'
export type { FolderPart, OpenedPart, PartOperation, PartPlace, PartRun } from './folder-part.ts'
export { namingHolder } from './holder.ts'
export { ImportMark } from './import-mark.ts'
export type { OwnLedger } from './ledger-copy.ts'
export { openDataFolder, reachDataFolder } from './open-data-folder.ts'
export { openRecords } from './open-records.ts'
export type { ClusterSetup, DataFolderOptions, LocalModelSettings } from './options.ts'
