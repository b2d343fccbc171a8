import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Embedder } from '@asof/core'
import { ClassicLevel } from 'classic-level'

/** A model that its user closes. */
export interface ClosableEmbedder extends Embedder {
  close(): Promise<void>
}

/**
 * Keeps vectors in a folder, so that asof, another engine and a second run have the same ones for the time of one. They are found by what
 * identifies the model and by the text, so those of another model, or of an earlier release of asof, are never taken for them.
 */
export class VectorCache {
  readonly #vectors: ClassicLevel<string, Buffer>
  readonly #isTemporary: boolean

  private constructor(vectors: ClassicLevel<string, Buffer>, isTemporary: boolean) {
    this.#vectors = vectors
    this.#isTemporary = isTemporary
  }

  /**
   * Opens the cache in a folder, which is made if it is missing. One process at a time can have it open.
   *
   * @param dir - Default: a temporary folder, which is deleted when the cache is closed.
   */
  static async open(dir?: string): Promise<VectorCache> {
    const folder = dir ?? (await mkdtemp(join(tmpdir(), 'asof-vectors-')))
    const vectors = new ClassicLevel<string, Buffer>(folder, { keyEncoding: 'utf8', valueEncoding: 'buffer' })
    await vectors.open()
    return new VectorCache(vectors, dir === undefined)
  }

  /** Returns a model that computes only the vectors that are not kept. */
  caching(source: Embedder & Partial<ClosableEmbedder>): ClosableEmbedder {
    const { model, languages, isLocal, passageUnits } = source
    return {
      model,
      languages,
      isLocal,
      passageUnits,
      close: async () => source.close?.(),
      embed: async (texts, call) => {
        const keys = texts.map(text => keyOf(model, call.kind, text))
        const kept = await this.#vectors.getMany(keys)
        const missing = new Map(keys.flatMap((key, i) => (kept[i] ? [] : [[key, texts[i]!] as const])))
        const made = missing.size === 0 ? [] : await source.embed([...missing.values()], call)
        const found = new Map([...missing.keys()].map((key, m) => [key, made[m]!]))
        await this.#vectors.batch([...found].map(([key, vector]) => ({ type: 'put', key, value: bytesOf(vector) })))
        return keys.map((key, i) => found.get(key) ?? vectorOf(kept[i]!))
      },
    }
  }

  async close(): Promise<void> {
    await this.#vectors.close()
    if (this.#isTemporary) await rm(this.#vectors.location, { recursive: true })
  }
}

function keyOf(model: string, kind: string, text: string): string {
  return createHash('sha256')
    .update(JSON.stringify([model, kind, text]))
    .digest('hex')
}

function bytesOf(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
}

function vectorOf(bytes: Buffer): Float32Array {
  return new Float32Array(Uint8Array.from(bytes).buffer)
}
