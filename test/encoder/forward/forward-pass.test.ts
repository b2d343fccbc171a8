import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Pooling } from '../../../encoder/forward/encoder-shape.ts'
import { ForwardPass } from '../../../encoder/forward/forward-pass.ts'
import { loadModel } from '../../../encoder/model/load-model.ts'
import { Fixture, type FixtureName } from '../fixture.ts'
import { bertAsOnnx } from '../quantized-bert.ts'

const folder = mkdtempSync(join(tmpdir(), 'asof-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Loads a fixture, and returns a pass of each thread. */
function passes(path: string, maxTokens: number, threads = 1): ForwardPass[] {
  const { model, memory } = loadModel({ path, maxTokens, threads, use: {} })
  return Array.from({ length: threads }, (_, thread) => new ForwardPass(model, memory, thread))
}

function passOf(name: FixtureName): ForwardPass {
  const fixture = new Fixture(name)
  const [pass] = passes(fixture.folder, fixture.expected().maxTokens)
  return pass!
}

const plain = (ids: readonly number[]) => ({ ids, types: ids.map(() => 0) })

/** SHA-256 of vectors, bit by bit. */
function hashOf(vectors: readonly Float32Array[]): string {
  const hash = createHash('sha256')
  for (const vector of vectors) hash.update(new Uint8Array(vector.slice().buffer))
  return hash.digest('hex')
}

/** The largest difference of two lists of vectors. */
function gap(vectors: readonly ArrayLike<number>[], expected: readonly (readonly number[])[]): number {
  return Math.max(...expected.flatMap((vector, i) => vector.map((value, j) => Math.abs(value - vectors[i]![j]!))))
}

describe.each(['bert', 'modernbert'] as const)('a pass of %s', name => {
  const { ids, mean, cls } = new Fixture(name).expected()
  const pass = passOf(name)

  it.each([
    ['mean', mean],
    ['cls', cls],
  ] as [Pooling, number[][]][])('has the vectors of transformers, pooled by %s', (pooling, expected) => {
    const vectors = ids.map(text => pass.embed(plain(text), pooling))
    expect(vectors).toHaveLength(expected.length)
    expect(gap(vectors, expected)).toBeLessThan(1e-4)
  })

  it('depends on nothing that was computed before', () => {
    const vectors = (order: number[]) => {
      const fresh = passOf(name)
      const byText = new Map(order.map(i => [i, fresh.embed(plain(ids[i]!), 'mean')]))
      return ids.map((_, i) => byText.get(i))
    }
    const order = ids.map((_, i) => i)
    const expected = vectors(order)
    expect(vectors(order.toReversed())).toEqual(expected)
    for (const [i, text] of ids.entries()) expect(passOf(name).embed(plain(text), 'mean')).toEqual(expected[i])
  })

  it('refuses tokens that the model does not know', () => {
    for (const id of [-1, 100_000, Number.NaN]) expect(() => pass.embed(plain([id]), 'mean')).toThrow(TypeError)
    expect(() => pass.embed(plain([]), 'mean')).toThrow(TypeError)
    expect(() => pass.embed(plain(new Array(41).fill(1)), 'mean')).toThrow(TypeError)
  })
})

describe.each(['bert-classifier', 'modernbert-classifier'] as const)('a pass of %s', name => {
  const { pairIds, pairTypes, scores } = new Fixture(name).expected()

  it('has the scores of transformers', () => {
    const pass = passOf(name)
    const found = pairIds.map((ids, i) => pass.scores({ ids, types: pairTypes[i]! }))
    expect(found.map(({ length }) => length)).toEqual(scores.map(({ length }) => length))
    expect(gap(found, scores)).toBeLessThan(2e-4)
  })
})

it('a model without a classifier has no scores', () => {
  expect(() => passOf('bert').scores(plain([1]))).toThrow(expect.objectContaining({ code: 'ASOF_MODEL_FAILED' }))
})

// The same on every machine and with every Node.js. A change of these needs another ENCODER_VERSION.
it.each([
  ['bert', '25f342732f05e9efdbfaf5dbafb398b4bddd8df0c7140eff38eda5262b8f3b7d'],
  ['modernbert', '75b086ea11f8b3b7755d898f53b09d8def62e7163e61ed341ea9dfed78c96b13'],
] as const)('the vectors of %s have these bits', (name, expected) => {
  const pass = passOf(name)
  const { ids } = new Fixture(name).expected()
  expect(hashOf(ids.flatMap(text => [pass.embed(plain(text), 'mean'), pass.embed(plain(text), 'cls')]))).toBe(expected)
})

it.each([
  ['bert-classifier', 'c51ef9c47091797ddce225296d98b8b4f71c02f68631763b947ca0f9dcbe21c6'],
  ['modernbert-classifier', '5bda1a7d923b378ae819b8d65638c5a8dddc416185f8a70058425929d07238f5'],
] as const)('the scores of %s have these bits', (name, expected) => {
  const pass = passOf(name)
  const { pairIds, pairTypes } = new Fixture(name).expected()
  expect(hashOf(pairIds.map((ids, i) => pass.scores({ ids, types: pairTypes[i]! })))).toBe(expected)
})

it('an ONNX file with the same weights has the same vectors', () => {
  const fixture = new Fixture('bert')
  writeFileSync(join(folder, 'model.onnx'), bertAsOnnx())
  for (const file of ['config.json', 'tokenizer.json'] as const) writeFileSync(join(folder, file), fixture.read(file))
  const { ids, maxTokens } = fixture.expected()
  const [pass] = passes(folder, maxTokens)
  const vectors = (from: ForwardPass) => hashOf(ids.map(text => from.embed(plain(text), 'mean')))
  expect(vectors(pass!)).toBe(vectors(passOf('bert')))
})

it('each thread has a scratch space of its own', () => {
  const fixture = new Fixture('modernbert')
  const { ids, maxTokens } = fixture.expected()
  const [first, second, third] = passes(fixture.folder, maxTokens, 3)
  const expected = first!.embed(plain(ids[0]!), 'mean')
  second!.embed(plain(ids[1]!), 'mean')
  third!.embed(plain(ids[4]!), 'mean')
  for (const pass of [first, second, third]) expect(pass!.embed(plain(ids[0]!), 'mean')).toEqual(expected)
})
