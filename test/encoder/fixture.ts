import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What `transformers` computes with a fixture; fixtures/make-fixtures.py writes it. */
interface Expected {
  maxTokens: number
  texts: string[]
  ids: number[][]
  mean: number[][]
  cls: number[][]
  pairs: [string, string][]
  pairIds: number[][]
  pairTypes: number[][]
  scores: number[][]
}

export type FixtureName = 'bert' | 'bert-classifier' | 'modernbert' | 'modernbert-classifier'

/** A tiny model with random weights. */
export class Fixture {
  readonly folder: string

  constructor(name: FixtureName) {
    this.folder = join(import.meta.dirname, 'fixtures', name)
  }

  read(file: 'config.json' | 'tokenizer.json' | 'model.safetensors'): Buffer {
    return readFileSync(join(this.folder, file))
  }

  expected(): Expected {
    return JSON.parse(readFileSync(join(this.folder, 'expected.json'), 'utf8')) as Expected
  }
}
