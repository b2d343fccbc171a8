import { describe, expect, it } from 'vitest'
import { readClusterOptions } from '../../cluster/cluster-options.ts'
import { type ClusterOptions, openCluster } from '../../cluster/index.ts'
import { servers } from './test-cluster.ts'

const search = 'http://127.0.0.1:9'
const database = 'postgres://asof:secret@127.0.0.1:9/asof'

describe('the options of a cluster', () => {
  it.each<[string, object]>([
    ['search', { search: [], database }],
    ['search', { search: 42, database }],
    ['search', { search: ['http://asof:secret@h:99999'], database }],
    ['search', { search: 'ftp://asof:secret@h', database }],
    ['search', { database }],
    ['database', { search, database: '' }],
    ['database', { search }],
    ['database', { search, database: 'postgres://asof:secret@h:99999/asof' }],
    ['database', { search, database: 'postgres://asof:secret%x@h/asof' }],
    ['name', { search, database, name: 'Upper' }],
    ['shards', { search, database, shards: 0 }],
    ['replicas', { search, database, replicas: -1 }],
    ['cacheBytes', { search, database, cacheBytes: 1.5 }],
    ['searchTimeoutMs', { search, database, searchTimeoutMs: 0 }],
    ['retain', { search, database, retain: 'long' }],
    ['caches', { search, database, caches: 1 }],
  ])('name %s in the error of %j, without its password, before anything is asked', async (field, options) => {
    const error = await openCluster(options as ClusterOptions).catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'ASOF_INVALID_OPTION', details: { field } })
    expect(String(error)).not.toContain('secret')
  })

  it.each([database, 'postgres://asof:s%25@one:5432,two:5433/asof?sslmode=require', 'postgresql:///asof?host=/run'])(
    'may be a database at %s',
    url => {
      expect(readClusterOptions({ search: [search, 'https://h'], database: url }).database).toBe(url)
    },
  )
})

describe.skipIf(!servers)('a cluster that PostgreSQL refuses', () => {
  it.each([
    ['database', /database "none" does not exist/],
    ['role', /role "nobody" does not exist/],
  ])('is not opened, and the error names the %s', async (part, message) => {
    const url = new URL(servers!.database)
    if (part === 'database') url.pathname = '/none'
    else url.username = 'nobody'
    const opening = openCluster({ ...servers!, database: url.href })
    await expect(opening).rejects.toMatchObject({ code: 'ASOF_STORE_READ', message: expect.stringMatching(message) })
  })
})
