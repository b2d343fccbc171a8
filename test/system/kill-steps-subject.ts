import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { type Engine, examine, open, type SearchResult } from '../../core/index.ts'
import { Stream } from '../../core/segment/streams.ts'
import { bodyKey, chunkKey, documentKey } from '../../core/store/keys.ts'
import { secondValues } from '../core/leveldb/second-values.ts'
import { Model } from './kill-nine-model.ts'
import { instantOf, type Operation, randomNumbers, roundOf } from './kill-nine-script.ts'

/** How one life of the writer ends: at steps of core, or some time after it began to open its index. */
export type Death = { steps: string; withBackups?: boolean } | { afterMs: number }

/** Rounds of a life that nothing kills: then its step was not reached. */
const ROUNDS = 40
/** Answers kept to be asked for again after later kills, and how many of them are asked for at a time. */
const ANSWERS = 60
const ASKED_AGAIN = 6
const queries = ['word1 word2', 'word0', 'word5 -word0', '"word0 word1"', 'word3 word9 word20'] as const

interface Answer {
  query: string
  queryTime: number
  results: SearchResult[]
}

/** An index folder through many lives of a writer, with what it must hold and the answers it gave. */
export class StepSubject {
  readonly model = new Model()
  /** Steps at which a life ended or failed. */
  readonly stepsHit = new Set<string>()
  kills = 0
  /** Operations not acknowledged that are there, and that are not. */
  kept = 0
  lost = 0
  answersAskedAgain = 0
  /** Rounds for which superseded captures are kept; 0: for ever. */
  readonly retainedRounds: number
  readonly #dir: string
  readonly #seed: number
  readonly #random: () => number
  #round = 1
  #answers: Answer[] = []

  constructor(dir: string, seed: number, retainedRounds = 0) {
    this.retainedRounds = retainedRounds
    this.#dir = dir
    this.#seed = seed
    this.#random = randomNumbers(seed)
  }

  /** Lives one after another without a look between them, then compares what is there with what must be. */
  async live(deaths: readonly Death[]): Promise<void> {
    const from = this.#round
    const acknowledged = new Set<string>()
    for (const death of deaths) {
      let last = this.#round - 1
      for (const line of await this.#life(death)) {
        acknowledged.add(line)
        last = Math.max(last, Number(line.split(' ')[0]))
      }
      // The round after the last one acknowledged may have begun.
      this.#round = last + 2
    }
    const clockAt = instantOf(this.#round) - 1
    const engine = await open(this.#dir, { now: () => clockAt, searchThreads: 0, mergePolicy: () => [] })
    try {
      const touched = await this.#catchUp(engine, from, acknowledged)
      await this.#readsBack(engine, touched, clockAt)
      if (this.retainedRounds === 0) {
        await this.#answersStay(engine, clockAt)
        const { captures, urls } = await engine.stats()
        expect({ captures, urls }).toEqual({ captures: this.model.captures.length, urls: this.model.histories.size })
      }
    } finally {
      await engine.close()
    }
    // What retention let go can't be told by a model: instead, everything must agree with everything else.
    if (this.retainedRounds > 0) expect(await examine(this.#dir)).toMatchObject({ sound: true })
    await this.#backupIsWholeOrNone()
  }

  /**
   * Keys of segments, documents and bodies that ever had another value, as far as the disk still knows it: damage could
   * bring that back.
   */
  overwritten(): Promise<string[]> {
    const kinds = [chunkKey(0, Stream.index, 0), documentKey(0), bodyKey(0)].map(([kind]) => kind)
    return secondValues(path.join(this.#dir, 'index'), ([kind]) => kinds.includes(kind))
  }

  async #backupIsWholeOrNone(): Promise<void> {
    if (existsSync(`${this.#dir}.backup`)) expect(await examine(`${this.#dir}.backup`)).toMatchObject({ sound: true })
    const partial = `${this.#dir}.backup.partial`
    if (!existsSync(path.join(partial, 'index', 'CURRENT'))) return
    // The mark goes last: without it the copy was whole, and lacks its name alone.
    if (!existsSync(path.join(partial, 'UNFINISHED'))) expect(await examine(partial)).toMatchObject({ sound: true })
  }

  /** Brings the model to what is there; returns the URLs of all that the lives tried. */
  async #catchUp(engine: Engine, from: number, acknowledged: ReadonlySet<string>): Promise<Set<string>> {
    const touched = new Set<string>()
    for (let round = from; round < this.#round; round++)
      for (const [index, operation] of roundOf(this.#seed, round, 'tiny').entries()) {
        for (const url of urlsOf(operation)) touched.add(url)
        const isAcknowledged = acknowledged.has(`${round} ${index}`)
        const isThere = isAcknowledged || (await this.model.survived(operation, round, engine))
        if (!isThere) this.lost++
        else if (!isAcknowledged) this.kept++
        if (!isThere) continue
        this.model.apply(operation, round)
        // A purge is for all of time, and so is what is declared to have been there earlier: answers of before may change.
        const declares = operation.kind === 'add' && operation.captures.some(({ declared }) => declared)
        if (operation.kind === 'purge' || declares) this.#answers = []
      }
    return touched
  }

  async #readsBack(engine: Engine, urls: ReadonlySet<string>, now: number): Promise<void> {
    for (const url of urls) {
      // With retention in force only what is current is sure to be there.
      const seen = this.retainedRounds > 0 ? [] : (this.model.histories.get(url) ?? []).slice(-3)
      for (const { at, capture } of seen) {
        const page = await engine.page(url, { queryTime: at })
        expect(page?.acquiredAt, `${url} at ${at}`).toBe(capture?.at)
        if (!capture) continue
        expect(page?.markdown).toContain(capture.token)
        const { results } = await engine.search(capture.token, { queryTime: at, snippetMaxLength: 0 })
        expect(results.map(result => [result.url, result.acquiredAt])).toEqual([[url, at]])
      }
      const token = this.model.tokenAt(url, now)
      const page = await engine.page(url)
      if (token === undefined) expect(page, url).toBeUndefined()
      else expect(page?.markdown).toContain(token)
    }
  }

  /** Earlier answers are given again, to the last bit of every score, and one of now is kept for later. */
  async #answersStay(engine: Engine, now: number): Promise<void> {
    for (let i = 0; i < Math.min(ASKED_AGAIN, this.#answers.length); i++) {
      const { query, queryTime, results } = this.#answers[Math.floor(this.#random() * this.#answers.length)]!
      const again = await engine.search(query, { queryTime, maxResults: 50 })
      expect(again.results, `${query} at ${queryTime}`).toEqual(results)
      this.answersAskedAgain++
    }
    const query = queries[Math.floor(this.#random() * queries.length)]!
    const { results } = await engine.search(query, { queryTime: now, maxResults: 50 })
    if (this.#answers.length === ANSWERS) this.#answers.splice(Math.floor(this.#random() * ANSWERS), 1)
    this.#answers.push({ query, queryTime: now, results })
  }

  /** Runs the writer until it dies; returns its acknowledgements. */
  #life(death: Death): Promise<string[]> {
    const file = (name: string): string => path.join(import.meta.dirname, name)
    const child = spawn(
      process.execPath,
      [
        '--import',
        file('failpoints.ts'),
        file('kill-steps-writer.ts'),
        this.#dir,
        String(this.#seed),
        String(this.#round),
        String(ROUNDS),
        String(this.retainedRounds),
        'withBackups' in death ? '3' : '0',
      ],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ASOF_TEST_STEPS: 'steps' in death ? death.steps : '' },
      },
    )
    let output = ''
    let errors = ''
    let timer: NodeJS.Timeout | undefined
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if ('afterMs' in death) timer ??= setTimeout(() => child.kill('SIGKILL'), death.afterMs)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text
    })
    return new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code, signal) => {
        clearTimeout(timer)
        if (signal === 'SIGKILL') this.kills++
        else if (code !== 0) return reject(new Error(`the writer ended by itself with ${code}: ${errors}`))
        const lines = output.split('\n')
        // The last line may have been cut off by the end.
        lines.pop()
        for (const line of lines) if (line.startsWith('step ')) this.stepsHit.add(line.slice('step '.length))
        resolve(lines.filter(line => /^\d/.test(line)))
      })
    })
  }
}

function urlsOf(operation: Operation): string[] {
  return operation.kind === 'add' ? operation.captures.map(({ url }) => url) : [operation.url]
}
