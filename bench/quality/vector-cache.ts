import { createHash } from 'node:crypto'
import { ClassicLevel } from 'classic-level'
import type { VectorSource } from '../../service/local-models/index.ts'

/**
 * Keeps vectors in a folder, so that a second run does not compute them again. They are found by what identifies the model and by the
 * text, so those of another model, or of an earlier release of asof, are never taken for them.
 */
export class VectorCache {
  readonly #vectors: ClassicLevel<string, Buffer>

  private constructor(vectors: ClassicLevel<string, Buffer>) {
    this.#vectors = vectors
  }

  /** Opens the cache in a folder, which is made if it is missing. One process at a time can have it open. */
  static async open(dir: string): Promise<VectorCache> {
    const vectors = new ClassicLevel<string, Buffer>(dir, { keyEncoding: 'utf8', valueEncoding: 'buffer' })
    await vectors.open()
    return new VectorCache(vectors)
  }

  /** Returns a model that computes only the vectors that are not kept. */
  caching(source: VectorSource): VectorSource {
    return {
      model: source.model,
      close: () => source.close(),
      embed: async (texts, call) => {
        const keys = texts.map(text => keyOf(source.model, call.kind, text))
        const kept = await this.#vectors.getMany(keys)
        const missing = texts.flatMap((_, i) => (kept[i] ? [] : [i]))
        const made =
          missing.length === 0
            ? []
            : await source.embed(
                missing.map(i => texts[i]!),
                call,
              )
        await this.#vectors.batch(
          made.map((vector, m) => ({ type: 'put', key: keys[missing[m]!]!, value: bytesOf(vector) })),
        )
        const found = new Map(missing.map((i, m) => [i, made[m]!]))
        return texts.map((_, i) => found.get(i) ?? vectorOf(kept[i]!))
      },
    }
  }

  close(): Promise<void> {
    return this.#vectors.close()
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
