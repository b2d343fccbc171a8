export { Journal, type JournalSnapshot, type Write } from './journal.ts'
export { JournalRecords } from './journal-records.ts'
export { PostgresRecords, type PostgresRecordsOptions } from './postgres-records.ts'
export { allOf, keyText, pagesOf, type RecordLocks, type RecordStore, type RecordTable } from './records.ts'
