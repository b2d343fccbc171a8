import { hash } from 'node:crypto'
import type { Embedder, TextKind } from '../../../core/index.ts'

/** Words that the embedder treats as synonyms of the first one. */
const concepts: Readonly<Record<string, string>> = {
  automobile: 'car',
  vehicle: 'car',
  physician: 'doctor',
  surgeon: 'doctor',
  canine: 'dog',
  hound: 'dog',
}

export const DIMENSIONS = 32

/** Returns the sum of one direction for each concept of a text. It is the same for equal texts. */
export function conceptVector(text: string, dimensions = DIMENSIONS): Float32Array {
  const vector = new Float32Array(dimensions)
  for (const word of text.toLowerCase().match(/[a-z0-9]+/g) ?? []) {
    const digest = hash('sha512', concepts[word] ?? word, 'buffer')
    for (let i = 0; i < dimensions; i++) vector[i]! += digest[i % 64]! / 127.5 - 1
  }
  // A real model returns a vector for every text.
  if (vector.every(value => value === 0)) vector[0] = 1
  return vector
}

export interface ConceptEmbedder extends Embedder {
  /** The requests, one entry for each call. */
  readonly asked: { kind: TextKind; texts: readonly string[] }[]
  /** If set, every call fails with this error. */
  failure: Error | undefined
}

/** An in-process, deterministic embeddings model that can be made to fail. */
export function conceptEmbedder(model = 'concepts-1', dimensions = DIMENSIONS): ConceptEmbedder {
  const embedder: ConceptEmbedder = {
    model,
    asked: [],
    failure: undefined,
    embed: async (texts, { kind }) => {
      embedder.asked.push({ kind, texts })
      if (embedder.failure) throw embedder.failure
      return texts.map(text => conceptVector(text, dimensions))
    },
  }
  return embedder
}
