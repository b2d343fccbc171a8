import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { Encoder } from '../../encoder/index.ts'
import { loadModel } from '../../encoder/model/load-model.ts'
import { Tokenizer } from '../../encoder/tokenizer/tokenizer.ts'
import { publishedJar } from './published-jar.ts'

/** What `onnxruntime` computes with weights of 32 bits; fixtures/make-published-models.py writes it. */
interface Expected {
  texts: string[]
  ids: number[][]
  vectors: number[][]
}

const models = [
  {
    name: 'all-MiniLM-L6-v2-q',
    jar: publishedJar('all-minilm-l6-v2-q'),
    fixture: 'minilm.json',
    prefix: '',
    bits: 'dca379eb0b9d5f30a8329e3a4c605abb271d0641273fcb6570cc6a564178baab',
  },
  {
    name: 'bge-small-en-v1.5-q',
    jar: publishedJar('bge-small-en-v15-q'),
    fixture: 'bge-small.json',
    prefix: 'Represent this sentence for searching relevant passages: ',
    bits: '740d71be185754c92ddd1ed05b93a637af77f15613acf2a8581b4b679f8bbb67',
  },
]

for (const { name, jar, fixture, prefix, bits } of models)
  describe.skipIf(!existsSync(jar))(`${name}, where Maven has its jar`, () => {
    const { texts, ids, vectors } = JSON.parse(
      readFileSync(join(import.meta.dirname, 'fixtures', fixture), 'utf8'),
    ) as Expected
    const encoder = existsSync(jar) ? Encoder.open({ path: jar, threads: 2 }) : undefined
    afterAll(async () => (await encoder)?.close())

    it('has the tokens of Hugging Face, with the instruction of the model before a query', () => {
      const { tokenizer, use } = loadModel({ path: jar, maxTokens: 128, threads: 1, use: {} })
      const own = new Tokenizer(tokenizer.slice())
      expect(use.queryPrefix).toBe(prefix)
      expect(texts.map(text => own.encode(prefix + text, 128).ids)).toEqual(ids)
    })

    it('has vectors near those of the weights with 32 bits: cosine ≥ .995', async () => {
      const found = await encoder!.then(each => each.embed(texts, { kind: 'query' }))
      for (const [i, vector] of found.entries()) {
        const cosine = vector.reduce((sum, value, j) => sum + value * vectors[i]![j]!, 0)
        expect(cosine, texts[i]).toBeGreaterThan(0.995)
      }
    })

    it('has the same bits on every machine', async () => {
      const found = await encoder!.then(each => each.embed(texts, { kind: 'query' }))
      const hash = createHash('sha256')
      for (const vector of found) hash.update(new Uint8Array(vector.slice().buffer))
      expect(hash.digest('hex')).toBe(bits)
    })

    it('knows English, and its size', async () => {
      const { dimensions, languages, model } = await encoder!
      expect({ dimensions, languages }).toEqual({ dimensions: 384, languages: ['en'] })
      expect(model).toMatch(/@[0-9a-f]{64}$/)
      expect(model.startsWith(`${name}@`)).toBe(true)
    })
  })
