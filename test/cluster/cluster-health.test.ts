import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { clusterTools } from '../../cluster/index.ts'
import { healthJson, healthText } from '../../transports/cli/output/cluster-text.ts'
import { newName, openTestCluster, servers } from './test-cluster.ts'

describe.skipIf(!servers)('the health of a cluster', () => {
  it('says what both servers have, and which of them lacks something', async () => {
    const name = newName()
    const missing = await clusterTools({ ...servers!, name }).health()
    expect(missing).toEqual({
      name,
      database: { failure: 'PostgreSQL has no tables of this cluster: run asof cluster init' },
      search: { failure: 'OpenSearch has no index of this cluster: run asof cluster init' },
    })
    const options = { ...servers!, name }
    const { findings } = await clusterTools(options).examine()
    expect(findings).toEqual([
      { problem: 'PostgreSQL has no tables of this cluster', advice: 'run asof cluster init, or correct the settings' },
    ])
    // Work on a wrong name creates no cluster.
    const folder = join(tmpdir(), name)
    for (const work of [
      () => clusterTools(options).reindex(),
      () => clusterTools(options).abandonReindex(),
      () => clusterTools(options).sweepObjects(),
      () => clusterTools(options).save(folder),
    ])
      await expect(work()).rejects.toMatchObject({ code: 'ASOF_INVALID_OPTION', details: { field: 'name' } })
    expect(await clusterTools(options).health()).toEqual(missing)
    expect(existsSync(folder)).toBe(false)
    const cluster = await openTestCluster({ name, shards: 2 })
    try {
      await cluster.add([{ url: 'https://example.com/', text: 'a lamp' }])
      await cluster.search('lamp')
      const health = await cluster.health()
      expect(health.database).toMatchObject({ captures: 1, urls: 1, openChanges: 0, lagMs: 0 })
      expect(health.search).toMatchObject({ captures: 1, status: 'green' })
      const { shards } = health.search as { shards: { number: number; isPrimary: boolean }[] }
      expect(shards.filter(({ isPrimary }) => isPrimary).map(({ number }) => number)).toEqual([0, 1])
      const text = healthText(health)
      expect(text).toMatch(/OpenSearch 3\.\S+: green, 1 captures/)
      expect(text.split('\n').filter(line => line.length > 80)).toEqual([])
      expect(healthJson(health)).toMatchObject({
        search: { shards: [{ shard: 0, primary: true, state: 'started' }, {}] },
      })
      // Nobody listens at port 1.
      const database = 'postgres://asof:secret@127.0.0.1:1/asof'
      const half = await clusterTools({ ...servers!, database, name }).health()
      expect(half.database).toEqual({ failure: expect.stringContaining('PostgreSQL cannot be reached') })
      expect(half.search).toMatchObject({ captures: 1 })
      expect(healthText(half)).not.toContain('secret')
    } finally {
      await cluster.close()
    }
  })
})
