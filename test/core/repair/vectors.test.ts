import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { examine, open, repair, type SearchAnswer } from '../../../core/index.ts'
import { FolderStore } from '../../../core/store/folder-store.ts'
import { manifestKey, modelsKey, vectorKey } from '../../../core/store/keys.ts'
import { conceptEmbedder } from '../models/concept-embedder.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-meaning-repair-'))
})
afterEach(() => rm(dir, { recursive: true }))

const pages = Array.from({ length: 12 }, (_, i) => ({
  url: `https://example.com/${i}`,
  text: i === 5 ? 'automobile' : `topic${i} shelf${i}`,
}))

async function asked(): Promise<{ answer: SearchAnswer; vectors: number | undefined }> {
  const engine = await open(dir, { embed: conceptEmbedder(), searchThreads: 0, now: () => 5000 })
  try {
    return { answer: await engine.search('car'), vectors: (await engine.stats()).vectors }
  } finally {
    await engine.close()
  }
}

async function filled(): Promise<Awaited<ReturnType<typeof asked>>> {
  const engine = await open(dir, { embed: conceptEmbedder(), searchThreads: 0, now: () => 1000 })
  await engine.add(pages)
  await engine.close()
  return asked()
}

async function without(...keys: Uint8Array[]): Promise<void> {
  const store = await FolderStore.open(join(dir, 'index'), { cacheBytes: 1024 })
  await store.commit(keys.map(key => ({ type: 'del', key })))
  await store.close()
}

describe('an index with vectors', () => {
  it('is examined without a problem, unless it has lost a vector', async () => {
    await filled()
    expect(await examine(dir)).toMatchObject({ sound: true, strays: 0 })
    await without(vectorKey(3, 1))
    const { problems } = await examine(dir)
    expect(problems).toEqual(['there are 11 vectors of concepts-1; the list of models counts 12'])
  })

  it('keeps its vectors when it is repaired', async () => {
    const before = await filled()
    expect(before.answer.results[0]?.url).toBe('https://example.com/5')
    await without(manifestKey)
    await repair(dir)
    const { answer, vectors } = await asked()
    expect(vectors).toBe(12)
    expect(answer.results).toEqual(before.answer.results)
    expect(await examine(dir)).toMatchObject({ sound: true, strays: 0 })
  })

  it('is repaired without vectors if the list of models is lost, and can be given them again', async () => {
    const before = await filled()
    await without(modelsKey)
    await repair(dir)
    expect((await asked()).vectors).toBe(0)
    const engine = await open(dir, { embed: conceptEmbedder(), searchThreads: 0 })
    expect(await engine.embed()).toEqual({ captures: 12, embedded: 12 })
    await engine.close()
    expect((await asked()).answer.results).toEqual(before.answer.results)
  })
})
