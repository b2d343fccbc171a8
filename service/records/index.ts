export { Journal, type JournalSnapshot } from './journal.ts'
export { JournalRecords } from './journal-records.ts'
export { allOf, keyText, pagesOf, type RecordLocks, type RecordStore, type RecordTable } from './records.ts'
