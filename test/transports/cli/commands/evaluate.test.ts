import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { open } from '../../../../core/index.ts'
import { addModel } from '../../../../service/local-models/index.ts'
import { buildProgram } from '../../../../transports/cli/program.ts'
import { Fixture } from '../../../encoder/fixture.ts'
import { startEmbeddingEndpoint } from '../../../service/embedding-endpoint.ts'
import { sendJson } from '../../../service/model-endpoint.ts'
import { useCommandOutput } from '../command-output.ts'

let folder: string
const output = useCommandOutput()
/** The listeners of each signal before a test: a command adds its own, and ends with its process. */
let listeners: [name: NodeJS.Signals, before: NodeJS.SignalsListener[]][]
beforeEach(() => {
  listeners = (['SIGINT', 'SIGTERM'] as const).map(name => [name, process.listeners(name)])
  folder = mkdtempSync(join(tmpdir(), 'asof-evaluate-test-'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  for (const [name, before] of listeners)
    for (const listener of process.listeners(name)) if (!before.includes(listener)) process.off(name, listener)
  rmSync(folder, { recursive: true })
})

const run = (...args: string[]) => buildProgram().parseAsync(['evaluate', ...args], { from: 'user' })
const lines = (...items: unknown[]) => items.map(item => `${JSON.stringify(item)}\n`).join('')

/** A collection in which the newer of two pages about ferries is judged, as of a time before and after it. */
function writeCollection(): string {
  const collection = join(folder, 'ferries')
  mkdirSync(join(collection, 'qrels'), { recursive: true })
  writeFileSync(
    join(collection, 'corpus.jsonl'),
    lines(
      { _id: 'old', title: 'A ferry', text: 'the old ferry on the river', acquired_at: '2024-01-01' },
      { _id: 'new', title: 'Ferry', text: 'ferry', acquired_at: '2024-03-01' },
      { _id: 'other', title: 'Bridges', text: 'a bridge', acquired_at: '2024-01-01' },
    ),
  )
  writeFileSync(
    join(collection, 'queries.jsonl'),
    lines({ _id: 'now', text: '"ferry' }, { _id: 'then', text: 'ferry', query_time: '2024-02-01' }),
  )
  writeFileSync(
    join(collection, 'qrels', 'test.tsv'),
    'query-id\tcorpus-id\tscore\nnow\tnew\t1\nthen\told\t1\nthen\tnew\t0\n',
  )
  writeFileSync(join(collection, 'qrels', 'dev.tsv'), 'query-id\tcorpus-id\tscore\nnow\tother\t1\n')
  return collection
}

describe('asof evaluate', () => {
  it('measures a collection in the layout of BEIR, each query as of its own instant', async () => {
    await run(writeCollection(), '--json')
    const { collection, documents, queries, modes } = JSON.parse(output.stdout)
    expect({ collection, documents, queries }).toEqual({ collection: 'ferries', documents: 3, queries: 2 })
    for (const mode of ['realtime', 'pro']) expect(modes[mode]).toMatchObject({ 'success@1': 1, 'nDCG@10': 1 })
  })

  it('uses the judgments of the split that is named', async () => {
    await run(writeCollection(), '--split', 'dev', '--mode', 'realtime', '--json')
    expect(JSON.parse(output.stdout)).toMatchObject({
      queries: 1,
      left_out: 1,
      modes: { realtime: { 'success@1': 0 } },
    })
  })

  it('writes a run file for each mode', async () => {
    const runs = join(folder, 'runs')
    await run(writeCollection(), '--run', runs)
    expect(readdirSync(runs).toSorted()).toEqual(['pro.run', 'realtime.run'])
    expect(readFileSync(join(runs, 'realtime.run'), 'utf8')).toMatch(/^now Q0 new 1 \S+ realtime\n/)
    expect(output.stdout.split('\n').every(line => line.length <= 80 || line.startsWith('wrote '))).toBe(true)
  })

  it('prints the measures of each query', async () => {
    const collection = writeCollection()
    await run(collection, '--per-query', '--mode', 'realtime', '--query-time', '2024-02-01', '--json')
    const { modes, per_query } = JSON.parse(output.stdout)
    expect(Object.keys(per_query.realtime)).toEqual(['now', 'then'])
    expect([per_query.realtime.now['success@1'], per_query.realtime.then['success@1']]).toEqual([0, 1])
    expect(modes.realtime['success@1']).toBe(0.5)
    output.stdout = ''
    await run(collection, '--per-query', '--mode', 'realtime', '--query-time', '2024-02-01')
    expect(output.stdout).toMatch(/^realtime +nDCG@10 .*\nnow +0\.0000 .*\nthen +1\.0000 /m)
  })

  it('tests whether a ranking differs from the first one', async () => {
    const collection = writeCollection()
    await run(collection, '--compare', '--mode', 'webql', 'realtime', 'pro', '--json')
    const { comparisons } = JSON.parse(output.stdout)
    expect(
      comparisons.map(({ baseline, ranking }: { baseline: string; ranking: string }) => [baseline, ranking]),
    ).toEqual([
      ['webql', 'realtime'],
      ['webql', 'pro'],
    ])
    // In mode webql the query with an open quote is rejected, and counts as 0. Of one difference both signs are as far from 0.
    expect(comparisons[0].measures['success@1']).toMatchObject({
      baseline: 0.5,
      mean: 1,
      difference: 0.5,
      p: 1,
      better: 1,
      worse: 0,
    })
    output.stdout = ''
    await run(collection, '--compare')
    expect(output.stdout).toMatch(
      /^pro compared with realtime\n +difference .*\nnDCG@10 +\+0\.0000 +\+0\.0000 +\+0\.0000 +1\.00000 +0 +0$/m,
    )
    expect(output.stdout.split('\n').every(line => line.length <= 80)).toBe(true)
  })

  it('tests whether a ranking differs from that of a run file', async () => {
    const collection = writeCollection()
    const file = join(folder, 'other.run')
    writeFileSync(file, 'now Q0 other 1 2 x\nnow Q0 new 2 1 x\n')
    await run(collection, '--compare', file, '--mode', 'realtime', '--json')
    const { comparisons, modes } = JSON.parse(output.stdout)
    expect(Object.keys(modes)).toEqual(['realtime'])
    expect(comparisons).toMatchObject([
      { baseline: 'other.run', ranking: 'realtime', measures: { 'MRR@10': { baseline: 0.25, mean: 1, better: 2 } } },
    ])
    output.stdout = ''
    await run(collection, '--compare', file, '--mode', 'realtime')
    expect(output.stdout).toMatch(/^other\.run +0\.\d{4} .*\nrealtime +1\.0000 /m)
  })

  it('does not compare a ranking with itself', async () => {
    await expect(run(writeCollection(), '--mode', 'pro', '--compare')).rejects.toThrow(/--compare needs two rankings/)
    await expect(run(writeCollection(), '--compare', join(folder, 'none.run'))).rejects.toThrow(
      /none\.run does not exist/,
    )
  })

  it('leaves no temporary index behind', async () => {
    const before = readdirSync(tmpdir()).filter(name => /^asof-evaluate-(?!test)/.test(name))
    await run(writeCollection(), '--mode', 'realtime')
    expect(readdirSync(tmpdir()).filter(name => /^asof-evaluate-(?!test)/.test(name))).toEqual(before)
  })

  it('replays judged queries on a data folder, as of the instant of each', async () => {
    const data = join(folder, 'data')
    const engine = await open(data)
    await engine.add([
      { url: 'https://a.example/old', title: 'A ferry', text: 'the old ferry on the river', acquiredAt: '2024-01-01' },
      { url: 'https://a.example/new', title: 'Ferry', text: 'ferry', acquiredAt: '2024-03-01' },
    ])
    await engine.close()
    const [queries, qrels] = [join(folder, 'topics.jsonl'), join(folder, 'qrels')]
    writeFileSync(queries, lines({ topic: 't', query: 'ferry', query_time: '2024-02-01' }))
    writeFileSync(qrels, 't 0 https://a.example/old 5\n')
    await run('--data', data, '--queries', queries, '--qrels', qrels, '--mode', 'realtime', '--json')
    expect(JSON.parse(output.stdout)).toMatchObject({
      documents: 2,
      queries: 1,
      modes: { realtime: { 'success@1': 1 } },
    })
  })

  it('ranks with the embeddings model of the settings, and fails if a query was answered without it', async () => {
    const models = join(folder, 'models')
    await addModel(new Fixture('bert').folder, { folder: models, name: 'tiny' })
    vi.stubEnv('ASOF_MODELS', models)
    vi.stubEnv('ASOF_EMBED_MODEL', 'local:tiny')
    await run(writeCollection(), '--mode', 'pro', '--json')
    expect(JSON.parse(output.stdout).modes.pro).toMatchObject({ 'success@1': 1 })
    const endpoint = await startEmbeddingEndpoint((_, response) => sendJson(response, 503, {}))
    try {
      vi.stubEnv('ASOF_EMBED_URL', endpoint.url)
      vi.stubEnv('ASOF_EMBED_MODEL', 'concepts')
      await expect(run(writeCollection(), '--mode', 'pro')).rejects.toThrow('query now was answered without vectors')
      await run(writeCollection(), '--mode', 'realtime')
    } finally {
      await endpoint.close()
    }
  })

  it('rejects a folder without judgments, and a call that names neither collection nor files', async () => {
    await expect(run(join(folder, 'nowhere'))).rejects.toThrow(/nowhere: there is no such folder/)
    await expect(run(folder)).rejects.toThrow(/has no judgments: expected .*test\.tsv/)
    await expect(run('--data', join(folder, 'data'))).rejects.toThrow(
      /give the folder of a collection, or --queries and --qrels/,
    )
    await expect(run(writeCollection(), '--qrels', 'x')).rejects.toThrow(/not both/)
  })

  it('names the queries that the engine rejected with the reason, and exits with 1', async () => {
    const collection = writeCollection()
    await run(collection, '--mode', 'webql', 'realtime', '--json')
    expect(process.exitCode).toBe(1)
    const { rejected, modes } = JSON.parse(output.stdout)
    expect(rejected).toEqual({ webql: [{ id: 'now', message: expect.stringMatching(/quot/) }] })
    expect(modes.webql).toMatchObject({ 'success@1': 0.5 })
    expect(output.stderr).toMatch(/rejected in mode webql: query now: .*quot/)
    output.stdout = ''
    await run(collection, '--mode', 'webql')
    expect(output.stdout).toContain('1 rejected in mode webql, which count as 0')
    expect(output.stdout.split('\n').every(line => line.length <= 80)).toBe(true)
  })

  it('rejects queries none of which has a relevant document', async () => {
    const collection = writeCollection()
    writeFileSync(join(collection, 'qrels', 'test.tsv'), 'now\tnew\t0\n')
    await expect(run(collection)).rejects.toThrow(/no query has a relevant document/)
  })
})
