import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ClusterEngine, type ClusterExamination, clusterTools } from '../../cluster/index.ts'
import { rowOf } from '../../cluster/stored/stored-rows.ts'
import { vectorKey } from '../../core/store/keys.ts'
import { clusterExaminationText } from '../../transports/cli/output/cluster-text.ts'
import { conceptEmbedder } from '../core/models/concept-embedder.ts'
import { anyNode, newName, openTestCluster, servers } from './test-cluster.ts'

const START_AT = Date.UTC(2024, 0, 1)
const pages = Array.from({ length: 240 }, (_, n) => ({
  url: `https://example.com/${n % 80}`,
  title: `page ${n % 7}`,
  text: `river stone light ${n}. It’s a well-known time`,
  acquiredAt: START_AT + n * 1_000,
  fields: { price: n },
}))

describe.skipIf(!servers)('the examination of a cluster', () => {
  let options: { search: string | readonly string[]; database: string; name: string }
  let cluster: ClusterEngine
  let sql: postgres.Sql

  beforeEach(async () => {
    options = { ...servers!, name: newName() }
    cluster = await openTestCluster({ ...options, shards: 2 })
    await cluster.add(pages)
    await cluster.purge('https://example.com/7')
    sql = postgres(servers!.database, { onnotice: () => {}, connection: { search_path: options.name } })
  })

  afterEach(async () => {
    await sql.end()
    await cluster.close()
    await fetch(`${anyNode()}/${options.name}-*`, { method: 'DELETE' })
  })

  async function problems(all = false): Promise<string> {
    const examination: ClusterExamination = await clusterTools(options).examine({ all })
    expect(examination.sound).toBe(examination.findings.length === 0)
    return clusterExaminationText(examination).replace(/\s+/g, ' ')
  }

  async function changeIndex(path: string, body?: object): Promise<void> {
    const method = body ? 'POST' : 'DELETE'
    const headers = { 'content-type': 'application/json' }
    const init = { method, headers, body: body && JSON.stringify(body) }
    const answer = await fetch(`${anyNode()}/${options.name}-1${path}`, init)
    expect(answer.ok, await answer.clone().text()).toBe(true)
  }

  it('finds nothing in one that is sound, also while servers write', async () => {
    const progress: number[] = []
    const examination = await clusterTools(options).examine({
      all: true,
      onProgress: compared => progress.push(compared),
    })
    expect(examination).toEqual({ name: options.name, sound: true, compared: 237, captures: 237, findings: [] })
    expect(progress.at(-1)).toBe(237)
    let isExamining = true
    const write = async (): Promise<void> => {
      for (let n = 0; isExamining; n++)
        await cluster.add([
          { url: `https://example.com/${n % 90}`, text: `later stone ${n}`, acquiredAt: START_AT + 500_000 + n },
        ])
    }
    const examine = async (): Promise<void> => {
      try {
        for (let n = 0; n < 5; n++) expect((await clusterTools(options).examine({ all: true })).findings).toEqual([])
      } finally {
        isExamining = false
      }
    }
    await Promise.all([write(), examine()])
  })

  it('names a deleted and a changed document, which a new index mends', async () => {
    await changeIndex('/_doc/40?refresh=true')
    expect(await problems()).toMatch(
      /OpenSearch has 236 of 237 captures; it lacks 40: .*reindex.* missing or wrong: 1 \(40\) of 237/,
    )
    await changeIndex('/_update/50?refresh=true', { doc: { supersededAt: START_AT + 1 } })
    await changeIndex('/_update/51?refresh=true', { doc: { terms: 'river river' } })
    expect(await problems()).toMatch(/missing or wrong: 3 \(40, 50, 51\) of 237/)
    await clusterTools(options).reindex()
    expect(await problems(true)).toMatch(/sound/)
  })

  it('says that the index is lost, or laid out in another way, which a new index mends', async () => {
    await changeIndex('')
    const [first] = (await clusterTools(options).examine()).findings
    expect(first).toMatchObject({
      problem: `OpenSearch has no index ${options.name}-1`,
      advice: 'run asof cluster reindex',
    })
    // OpenSearch makes an index for a document.
    await changeIndex('/_doc/1?refresh=true', { terms: 'river' })
    expect(await problems()).toMatch(/is laid out in another way than by this release: .*similarity/)
    await clusterTools(options).reindex()
    expect(await problems()).toMatch(/sound/)
  })

  it('names values whose checksums are wrong, in a sample those of captures', async () => {
    const [row] = await sql<{ key: Buffer; value: Buffer }[]>`
      select key, value from value where length(value) > 60 order by key desc limit 1`
    const damaged = Buffer.from(row!.value)
    damaged[20]! ^= 4
    await sql`update value set value = ${damaged} where key = ${row!.key}`
    expect(await problems()).toMatch(/damaged or missing: \d+ \(/)
    expect(await problems(true)).toMatch(/1 of the values in PostgreSQL have a wrong checksum: .* restore a backup/)
    await sql`update value set value = ${row!.value} where key = ${row!.key}`
    expect(await problems(true)).toMatch(/sound/)
  })

  it('finds that vectors are missing, or that their captures are', async () => {
    const embedding = await openTestCluster({ ...options, embed: conceptEmbedder() })
    try {
      await embedding.embed()
    } finally {
      await embedding.close()
    }
    expect(await problems(true)).toMatch(/sound/)
    const kind = Buffer.from('v')
    const [row] = await sql<{ key: Buffer; value: Buffer }[]>`
      delete from value where key = (
        select key from value where substring(key from 1 for 1) = ${kind} order by key desc limit 1
      ) returning key, value`
    expect(await problems(true)).toMatch(/vectors in PostgreSQL .* concepts-1 has 236 of 237/)
    await sql`insert into value ${sql([row!])}`
    expect(await problems(true)).toMatch(/sound/)
    const stray = Buffer.from(vectorKey(100_000, 1))
    await sql`insert into value ${sql([rowOf(stray, row!.value.subarray(0, -4))])}`
    expect(await problems(true)).toMatch(/concepts-1 has 238 of 237, 1 have no capture/)
  })

  it('finds wrong sums, lost terms, lagging copies, old changes, and builds and indices that were left', async () => {
    await sql`update statistic set captures = captures + 1 where level = 2`
    expect(await problems()).toMatch(/statistics in PostgreSQL differ/)
    await sql`update statistic set captures = captures - 1 where level = 2`
    await sql`delete from vocabulary where term = 'stone'`
    expect(await problems()).toMatch(/vocabulary in PostgreSQL lacks .* 237 \(.*"stone"/)
    await sql`insert into vocabulary values ('stone', ${START_AT})`
    expect(await problems()).toMatch(/sound/)
    await changeIndex('/_update_by_query?refresh=true&max_docs=1', {
      query: { exists: { field: 'marker' } },
      script: { source: 'ctx._source.marker -= 1' },
    })
    expect(await problems()).toMatch(/the primary of shard \d of \S+ lacks the change \d+/)
    await sql`
      insert into journal values (1000000, ${Date.now() - 3_600_000}, ${START_AT}, false, 2, '')`
    expect(await problems()).toMatch(/1 changes are open, the oldest since 3\d{3} s/)
    await sql`delete from journal`
    await fetch(`${anyNode()}/${options.name}-9`, { method: 'PUT' })
    for (const alias of [options.name, `${options.name}-1-write`])
      await fetch(`${anyNode()}/${options.name}-1/_alias/${alias}`, { method: 'DELETE' })
    await sql`update term_index set building = 2`
    const left = await problems()
    expect(left).toMatch(/an index \S+-9 that the cluster does not use/)
    expect(left).toMatch(/lacks the alias \S+-1-write, so that nothing can be written/)
    expect(left).toMatch(/the alias \S+ names no index, and searches read \S+-1/)
    expect(left).toMatch(/-2 is being built, or its build was interrupted/)
  })

  it('says which server does not answer', async () => {
    const { findings } = await clusterTools({
      ...options,
      database: 'postgres://asof:secret@127.0.0.1:1/asof',
    }).examine()
    expect(findings).toMatchObject([{ problem: expect.stringContaining('PostgreSQL cannot be reached') }])
    expect(JSON.stringify(findings)).not.toContain('secret')
  })
})
