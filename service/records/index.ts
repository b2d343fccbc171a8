export { Journal, type JournalSnapshot, rangeUnder, type Write } from './journal.ts'
