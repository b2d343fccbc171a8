/** `asof/data-folder`: opens a data folder as the command line does, for programs that include a server. */
export type { BackupRequest, CrawlLimits, CrawlRequest, DataFolder, LocalDataFolder } from './data-folder.ts'
export { openDataFolder, reachDataFolder } from './open-data-folder.ts'
export type { DataFolderOptions } from './options.ts'
export type { PaymentDays, PaymentSetup, RegionSettings } from './payment-folder.ts'
export type { PurchaseSetup } from './purchase-folder.ts'
