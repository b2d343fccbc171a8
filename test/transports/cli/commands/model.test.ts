import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { buildProgram } from '../../../../transports/cli/program.ts'
import { useModelFolders } from '../../../service/local-models/models.ts'
import { useCommandOutput } from '../command-output.ts'

const models = useModelFolders()
const output = useCommandOutput()
const data = () => join(models.folder, '../data')

beforeEach(() => vi.stubEnv('ASOF_MODELS', models.folder))
afterEach(() => vi.unstubAllEnvs())

/** Runs a command, and returns what it prints. */
async function run(...args: string[]): Promise<string> {
  output.stdout = ''
  await buildProgram().parseAsync([...args, '--data', data()], { from: 'user' })
  return output.stdout
}

const json = async (...args: string[]): Promise<unknown> => JSON.parse(await run(...args, '--json'))

describe('asof model', () => {
  it('adds a model, lists it with its size, license and identity, and checks it', async () => {
    const source = models.copyOf('bert', 'tiny')
    writeFileSync(join(source, 'README.md'), '---\nlicense: apache-2.0\n---\n')
    const added = await run('model', 'add', source, '--languages', 'en,de')
    expect(added).toContain('tiny: tiny, bert, 32 dimensions, 0.1 MB, languages: en de,')
    expect(added).toContain('license: apache-2.0')
    expect(added).toContain(`Added: ${join(models.folder, 'tiny')}`)
    expect(added).toContain('To use it: ASOF_EMBED_MODEL=local:tiny')
    expect(added.split('\n').filter(line => line.length > 80 && !line.includes(models.folder))).toEqual([])
    const listed = await json('model', 'list')
    expect(listed).toEqual([
      {
        name: 'tiny',
        kind: 'embeddings',
        model: 'tiny',
        architecture: 'bert',
        dimensions: 32,
        languages: ['en', 'de'],
        license: 'apache-2.0',
        bytes: expect.any(Number),
        identity: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ])
    const text = await run('model', 'list')
    expect(text).toContain('tiny: tiny, bert, 32 dimensions')
    expect(text).toMatch(/\n {2}identity: [0-9a-f]{64}\n$/)
    expect(await run('model', 'check')).toBe('tiny: its files and what it computes are right\n')
    expect(process.exitCode).toBeUndefined()
  })

  it('names the pair only once both of its models were added as they were published', async () => {
    // Other models under these names are not the pair.
    for (const name of ['minilm', 'bge-small'])
      expect(await run('model', 'add', models.copyOf('bert'), '--name', name)).not.toContain('pair')
    vi.stubEnv('ASOF_EMBED_MODEL', 'local:minilm+bge-small')
    await expect(json('embed')).rejects.toThrow('minilm+bge-small needs the published model minilm')
    expect(await json('model', 'check', 'minilm+bge-small')).toEqual([
      { name: 'minilm', faults: [] },
      { name: 'bge-small', faults: [] },
    ])
  })

  it('exits with 1 if a file has changed', async () => {
    await run('model', 'add', models.copyOf('bert', 'tiny'))
    const file = join(models.folder, 'tiny/model.safetensors')
    const bytes = readFileSync(file)
    bytes[bytes.length - 1]! ^= 1
    writeFileSync(file, bytes)
    expect(await json('model', 'check', 'tiny')).toEqual([
      { name: 'tiny', faults: ['model.safetensors is not the file that was added: its SHA-256 differs'] },
    ])
    expect(process.exitCode).toBe(1)
  })

  it('lists the others if the record of a model is damaged', async () => {
    await run('model', 'add', models.copyOf('bert', 'tiny'))
    await run('model', 'add', models.copyOf('modernbert'))
    writeFileSync(join(models.folder, 'tiny/asof-model.json'), '{')
    expect(await json('model', 'list')).toMatchObject([{ name: 'modernbert' }])
    expect(output.stderr).toContain('asof-model.json is damaged')
    expect(process.exitCode).toBe(1)
  })

  it('says what is wrong with an argument', async () => {
    expect(await run('model', 'list')).toBe(`no model in ${models.folder}; \`asof model add\` adds one\n`)
    await expect(run('model', 'check')).rejects.toThrow('`asof model add` adds one')
    await expect(run('model', 'add', models.copyOf('bert'), '--languages', 'English')).rejects.toThrow(
      '--languages must be',
    )
    await expect(run('model', 'add', models.copyOf('modernbert-classifier'))).rejects.toThrow('into 3 classes')
    await expect(run('model', 'add', models.copyOf('bert'), '--name', '../x')).rejects.toThrow('cannot have the name')
  })

  it('adds a reranking model, which `local:` names in the setting of re-ranking', async () => {
    const source = models.copyOf('bert-classifier', 'reader')
    writeFileSync(join(source, 'README.md'), '---\nlicense: mit\n---\n')
    const added = await run('model', 'add', source)
    expect(added).toContain('reader: reader, bert, re-ranks results, 0.1 MB, license: mit')
    expect(added).toContain('To use it: ASOF_RERANK_MODEL=local:reader')
    expect(await json('model', 'list')).toMatchObject([{ name: 'reader', kind: 'reranker', license: 'mit' }])
    expect(await run('model', 'check')).toBe('reader: its files and what it computes are right\n')
    const file = join(models.folder, '../pages.jsonl')
    const pages = ['the cat sat on the mat', 'the dog sat on the log', 'the cat finds pages']
    writeFileSync(file, pages.map((text, i) => JSON.stringify({ url: `https://${i}.example/`, text })).join('\n'))
    await json('import', file)
    vi.stubEnv('ASOF_RERANK_MODEL', 'local:reader')
    const [{ identity = '' } = {}] = (await json('model', 'list')) as { identity: string }[]
    const { receipt, warning } = (await json('search', 'the cat')) as {
      receipt: { reranker: string }
      warning?: string
    }
    expect(warning).toBeUndefined()
    expect(receipt.reranker).toBe(`reader@${identity}`)
    vi.stubEnv('ASOF_EMBED_MODEL', 'local:reader')
    await expect(json('search', 'the cat')).rejects.toThrow('the model reader re-ranks results, and makes no vectors')
  })

  it('adds what `local:` names in the settings of other commands', async () => {
    await run('model', 'add', models.copyOf('bert', 'tiny'), '--languages', 'en')
    const file = join(models.folder, '../pages.jsonl')
    const pages = ['the cat sat on the mat', 'the dog sat on the log', 'a search engine finds pages']
    writeFileSync(file, pages.map((text, i) => JSON.stringify({ url: `https://${i}.example/`, text })).join('\n'))
    vi.stubEnv('ASOF_EMBED_MODEL', 'local:none')
    await expect(json('import', file)).rejects.toThrow('there is no model none')
    await expect(json('embed')).rejects.toThrow('there is no model none')
    vi.stubEnv('ASOF_EMBED_MODEL', 'local:tiny')
    await json('import', file)
    expect(await json('stats')).toMatchObject({ captures: 3, vectors: 3 })
    const [{ identity = '' } = {}] = (await json('model', 'list')) as { identity: string }[]
    const { receipt } = (await json('search', 'the cat')) as { receipt: { vectors: { model: string } } }
    expect(receipt.vectors.model).toBe(`tiny@${identity} (en)`)
    // A command that runs long names a model that cannot be loaded at its start, and leaves the folder closed.
    const config = join(models.folder, 'tiny/config.json')
    const whole = readFileSync(config, 'utf8')
    writeFileSync(config, `${whole}\n`)
    await expect(json('embed')).rejects.toThrow('makes other vectors than when it was added')
    writeFileSync(config, whole)
    expect(await json('embed')).toEqual({ captures: 3, embedded: 0 })
    // Without the model the same index answers by words alone.
    vi.stubEnv('ASOF_EMBED_MODEL', '')
    expect(((await json('search', 'the cat')) as { receipt: object }).receipt).not.toHaveProperty('vectors')
  })
})
