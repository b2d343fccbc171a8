import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { CollectionError } from './collection-error.ts'
import { textLines } from './text-lines.ts'

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
      return `${topic} Q0 ${trecName(id)} ${i + 1} ${last} ${this.#tag}\n`
    })
    await this.#file.write(lines.join(''))
  }

  async close(): Promise<void> {
    await this.#file.close()
  }
}

/** Returns a document id as run files have it, without the white space that separates their fields. */
export function trecName(id: string): string {
  return id.replace(/\s/g, '+')
}

/**
 * Reads a run file of TREC, see {@link TrecRun}.
 *
 * @returns for each topic the ids of the documents, as {@link trecName} writes them, by descending score. Documents with equal scores
 *   keep the order of the file.
 * @throws CollectionError - the file is missing, or a line has another form.
 */
export async function readTrecRun(path: string): Promise<Map<string, string[]>> {
  const topics = new Map<string, RankedDocument[]>()
  for await (const [line, number] of textLines(path)) {
    const [topic = '', , id = '', , written, ...tag] = line.trim().split(/\s+/)
    const score = Number(written)
    if (tag.length !== 1 || !Number.isFinite(score))
      throw new CollectionError(`${path}, line ${number}: expected topic, Q0, document, rank, score and tag`)
    const ranked = topics.get(topic) ?? []
    ranked.push({ id, score })
    topics.set(topic, ranked)
  }
  return new Map([...topics].map(([topic, ranked]) => [topic, idsByScore(ranked)]))
}

function idsByScore(ranked: readonly RankedDocument[]): string[] {
  return ranked.toSorted((a, b) => b.score - a.score).map(({ id }) => id)
}
