import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { filesOf } from '../../../core/leveldb/folder-check.ts'
import { batchOf, type LevelEntry, readLog } from '../../../core/leveldb/log-file.ts'
import { TableFile } from '../../../core/leveldb/table-file.ts'

/** Yields all entries in the files of a LevelDB folder, deleted and overwritten ones that are still there included. */
export async function* physicalEntries(location: string): AsyncGenerator<LevelEntry, void> {
  const { tables, logs } = await filesOf(location)
  for (const name of logs.values())
    for (const record of readLog(await readFile(path.join(location, name))).records) yield* batchOf(record)
  for (const name of tables.values()) {
    const table = await TableFile.open(path.join(location, name))
    for await (const entries of table.blocks(() => {})) yield* entries
    await table.close()
  }
}
