import { describe, expect, it } from 'vitest'
import { readClusterOptions } from '../../cluster/cluster-options.ts'
import { type ClusterOptions, openCluster } from '../../cluster/index.ts'

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
