import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { open } from '../../../../core/index.ts'
import { socketPath } from '../../../../service/data-folder/socket-message.ts'
import { serveSocket } from '../../../../service/data-folder/socket-server.ts'
import { extractiveReader, noJournal } from '../../../../service/index.ts'
import { buildProgram } from '../../../../transports/cli/program.ts'
import { conceptEmbedder } from '../../../core/models/concept-embedder.ts'
import { type EmbeddingEndpoint, embed, startEmbeddingEndpoint } from '../../../service/embedding-endpoint.ts'
import { sendJson } from '../../../service/model-endpoint.ts'
import { useCommandOutput } from '../command-output.ts'

let dir: string
let endpoint: EmbeddingEndpoint
let isDown: boolean
const output = useCommandOutput()

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-embed-'))
  isDown = false
  endpoint = await startEmbeddingEndpoint((request, response) =>
    isDown ? sendJson(response, 503, {}) : embed(request, response),
  )
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await endpoint.close()
  await rm(dir, { recursive: true })
})

function withModel(): void {
  vi.stubEnv('ASOF_EMBED_URL', endpoint.url)
  vi.stubEnv('ASOF_EMBED_MODEL', 'concepts')
}

/** Runs a command with `--json`, and returns the document that it prints. */
async function run(...args: string[]): Promise<unknown> {
  output.stdout = ''
  await buildProgram().parseAsync([...args, '--data', join(dir, 'data'), '--json'], { from: 'user' })
  return JSON.parse(output.stdout)
}

async function lines(name: string, texts: string[]): Promise<string> {
  const file = join(dir, name)
  await writeFile(file, texts.map(text => JSON.stringify({ url: `https://${text}.example/`, text })).join('\n'))
  return file
}

const filler = Array.from({ length: 20 }, (_, i) => `topic${i}`)
const found = async (query: string) =>
  ((await run('search', query)) as { results: { url: string }[] }).results.map(({ url }) => url)

describe('asof with an embeddings model', () => {
  it('computes embeddings during an import, and finds pages in other words', async () => {
    withModel()
    await run('import', await lines('pages.jsonl', [...filler, 'automobile']))
    expect(await run('stats')).toMatchObject({ captures: 21, vectors: 21 })
    expect((await found('car'))[0]).toBe('https://automobile.example/')
  })

  it('embeds the captures of an index that is older than its model, and resumes after a failure', async () => {
    await run('import', await lines('pages.jsonl', [...filler, 'automobile']))
    expect(await run('stats')).not.toHaveProperty('vectors')
    await expect(run('embed')).rejects.toThrow('no embeddings model is configured: set embed_model')
    withModel()
    expect(await found('car')).toEqual([])
    isDown = true
    await expect(run('embed')).rejects.toThrow('the embeddings model failed: its endpoint answered 503')
    isDown = false
    expect(await run('embed')).toEqual({ captures: 21, embedded: 21 })
    expect(await run('embed')).toEqual({ captures: 21, embedded: 0 })
    expect((await found('car'))[0]).toBe('https://automobile.example/')
  })

  it('imports without waiting for the model with --vectors later, and embeds afterwards', async () => {
    withModel()
    isDown = true
    await run('import', await lines('pages.jsonl', [...filler, 'automobile']), '--vectors', 'later')
    isDown = false
    expect(output.stderr).not.toContain('stored without vectors')
    expect(await run('stats')).toMatchObject({ captures: 21, vectors: 0 })
    expect(await found('car')).toEqual([])
    expect(await run('embed')).toEqual({ captures: 21, embedded: 21 })
    expect((await found('car'))[0]).toBe('https://automobile.example/')
  })

  it('says what is wrong with --vectors', async () => {
    const file = await lines('pages.jsonl', filler)
    await expect(run('import', file, '--vectors', 'soon')).rejects.toThrow('--vectors must be now or later')
    vi.stubEnv('ASOF_URL', 'http://127.0.0.1:9')
    vi.stubEnv('ASOF_ADMIN_TOKEN', 'secret')
    for (const args of [
      ['import', file],
      ['crawl', 'https://docs.example/'],
    ])
      await expect(buildProgram().parseAsync([...args, '--vectors', 'later'], { from: 'user' })).rejects.toThrow(
        '--vectors is for a data folder',
      )
  })

  it('lets the process that holds the folder embed, with its own model', async () => {
    const engine = await open(join(dir, 'data'), { searchThreads: 0 })
    await engine.add([{ url: 'https://example.com/', text: 'automobile' }])
    await engine.close()
    const held = await open(join(dir, 'data'), { searchThreads: 0, embed: conceptEmbedder() })
    const refused = () => Promise.reject(new Error('unexpected call'))
    const close = await serveSocket(
      socketPath(join(dir, 'data')),
      {
        engine: held,
        reader: extractiveReader,
        journal: noJournal,
        crawl: refused,
        backup: refused,
        administer: refused,
        readLive: refused,
        operate: refused,
        exportFeedback: refused,
        close: refused,
      },
      { onNotice: () => {} },
    )
    expect(await run('embed')).toEqual({ captures: 1, embedded: 1 })
    await run('import', await lines('pages.jsonl', filler), '--vectors', 'later')
    expect(await run('stats')).toMatchObject({ captures: 21, vectors: 1 })
    expect(await run('embed')).toEqual({ captures: 21, embedded: 20 })
    await close()
    await held.close()
  })
})
