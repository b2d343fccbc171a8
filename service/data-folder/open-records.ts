import { JournalRecords } from '../records/journal-records.ts'
import { PostgresRecords } from '../records/postgres-records.ts'
import type { RecordStore } from '../records/records.ts'
import type { ServiceDatabase } from './service-database.ts'

/**
 * Opens the records of a part of a data folder.
 *
 * @param database - the database that has them. Undefined: they are in a folder.
 * @param dir - that folder.
 * @param what - the records for error messages.
 */
export async function openRecords(
  database: ServiceDatabase | undefined,
  dir: string,
  what: string,
): Promise<RecordStore> {
  return database ? new PostgresRecords(await database.open()) : await JournalRecords.open(dir, what)
}
