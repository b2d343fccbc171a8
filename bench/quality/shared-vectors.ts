import type { Embedder, ModelCall, TextKind } from '@asof/core'

/** An embeddings model that remembers its vectors, so that asof and another engine have the same ones for the time of one. */
export class SharedVectors implements Embedder {
  readonly model: string
  readonly languages?: readonly string[]
  readonly isLocal: boolean
  readonly passageUnits?: number
  readonly #embed: Embedder
  readonly #vectors = new Map<string, Float32Array>()

  constructor(embed: Embedder) {
    const { model, languages, isLocal = false, passageUnits } = embed
    this.model = model
    if (languages) this.languages = languages
    this.isLocal = isLocal
    if (passageUnits !== undefined) this.passageUnits = passageUnits
    this.#embed = embed
  }

  async embed(texts: readonly string[], call: ModelCall & { kind: TextKind }): Promise<Float32Array[]> {
    const keyOf = (text: string) => `${call.kind} ${text}`
    const unknown = [...new Set(texts)].filter(text => !this.#vectors.has(keyOf(text)))
    const made = unknown.length === 0 ? [] : await this.#embed.embed(unknown, call)
    unknown.forEach((text, i) => {
      this.#vectors.set(keyOf(text), made[i]!)
    })
    return texts.map(text => this.#vectors.get(keyOf(text))!)
  }

  /** Forgets all vectors. */
  clear(): void {
    this.#vectors.clear()
  }
}
