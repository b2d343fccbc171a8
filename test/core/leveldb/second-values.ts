import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { filesOf } from '../../../core/leveldb/folder-check.ts'
import { batchOf, type Entry, readLog } from '../../../core/leveldb/log-file.ts'
import { TableFile } from '../../../core/leveldb/table-file.ts'

/** Keys that have different values in a LevelDB folder, deleted and overwritten ones that are still there included. */
export async function secondValues(location: string, isAsked: (key: Uint8Array) => boolean): Promise<string[]> {
  const values = new Map<string, Uint8Array>()
  const found = new Set<string>()
  const look = ({ key, value }: Entry): void => {
    if (!value || !isAsked(key)) return
    const name = Buffer.from(key).toString('hex')
    const other = values.get(name)
    if (other && Buffer.compare(other, value) !== 0) found.add(name)
    values.set(name, value)
  }
  const { tables, logs } = await filesOf(location)
  for (const name of logs.values())
    for (const record of readLog(await readFile(path.join(location, name))).records) batchOf(record).forEach(look)
  for (const name of tables.values()) {
    const table = await TableFile.open(path.join(location, name))
    for await (const entries of table.blocks(() => {})) entries.forEach(look)
    await table.close()
  }
  return [...found]
}
