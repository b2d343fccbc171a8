import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'

/** A ranked document of a run. */
export interface RankedDocument {
  id: string
  score: number
}

/**
 * Writes a run in TREC's format, for trec_eval and ir_measures: `topic Q0 document rank score tag`. trec_eval orders by
 * score, so equal scores of the engine are changed to scores that decrease with the rank.
 */
export class TrecRun {
  readonly path: string
  readonly #file: FileHandle
  readonly #tag: string

  private constructor(path: string, file: FileHandle, tag: string) {
    this.path = path
    this.#file = file
    this.#tag = tag
  }

  /** Creates `<folder>/<tag>.run`, and the folder if necessary. */
  static async create(folder: string, tag: string): Promise<TrecRun> {
    await mkdir(folder, { recursive: true })
    const path = join(folder, `${tag}.run`)
    return new TrecRun(path, await open(path, 'w'), tag)
  }

  async add(topic: string, ranked: readonly RankedDocument[]): Promise<void> {
    let last = Number.POSITIVE_INFINITY
    const lines = ranked.map(({ id, score }, i) => {
      last = score < last ? score : last - Math.max(1e-6, Math.abs(last) * 1e-9)
      return `${topic} Q0 ${id.replace(/\s/g, '+')} ${i + 1} ${last} ${this.#tag}\n`
    })
    await this.#file.write(lines.join(''))
  }

  async close(): Promise<void> {
    await this.#file.close()
  }
}
