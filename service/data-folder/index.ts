/** What a data folder has, who holds it, and how others use it meanwhile. */
export type { TrecPart } from '../feedback/trec-export.ts'
export { examineAccountsOf, moveAccountsOf, withAccounts } from './account-folder.ts'
export {
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
export type {
  ClusterSetup,
  DataFolderOptions,
  LocalModelSettings,
  LocalRerankerSettings,
  OnnxModelSettings,
} from './options.ts'
