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
