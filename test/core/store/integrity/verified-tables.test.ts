import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FolderStore } from '../../../../core/store/folder-store.ts'
import {
  fileIdentityOf,
  readVerifiedTables,
  writeVerifiedTables,
} from '../../../../core/store/integrity/verified-tables.ts'

let dir: string
let table: string

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-tables-'))
  const store = await FolderStore.open(dir, { cacheBytes: 1024 })
  const key = Uint8Array.of(0x69)
  await store.commit([{ type: 'put', key, value: new Uint8Array(100_000) }])
  await store.compact({ gte: Uint8Array.of(0), lt: Uint8Array.of(255) })
  await store.close()
  table = (await readdir(dir)).find(name => name.endsWith('.ldb')) ?? ''
})
afterEach(() => rm(dir, { recursive: true }))

const isKnown = async (): Promise<boolean> =>
  (await readVerifiedTables(dir)).get(table) === (await fileIdentityOf(join(dir, table)))

describe('the cache of verified tables', () => {
  it('holds the tables that have not changed since the folder was closed', async () => {
    expect(await isKnown()).toBe(true)
    await writeFile(join(dir, table), await readFile(join(dir, table)))
    expect(await isKnown()).toBe(false)
    await writeVerifiedTables(dir)
    expect(await isKnown()).toBe(true)
  })

  it('is empty if its file is missing or unreadable', async () => {
    await writeFile(join(dir, 'TABLES'), 'no note\n\n1\n')
    expect(await isKnown()).toBe(false)
    await rm(join(dir, 'TABLES'))
    expect(await readVerifiedTables(dir)).toEqual(new Map())
    await (await FolderStore.open(dir, { cacheBytes: 1024 })).close()
    expect(await isKnown()).toBe(true)
  })

  it('does not hide later damage', async () => {
    const bytes = await readFile(join(dir, table))
    // The end of the file says where its index is.
    bytes.fill(0xff, bytes.length - 48, bytes.length - 28)
    await writeFile(join(dir, table), bytes)
    await expect(FolderStore.open(dir, { cacheBytes: 1024 })).rejects.toMatchObject({ code: 'ASOF_STORE_CORRUPT' })
  })
})
