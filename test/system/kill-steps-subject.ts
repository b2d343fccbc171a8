import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { type Engine, examine, open, type SearchResult } from '../../core/index.ts'
import { Stream } from '../../core/segment/streams.ts'
import { chunkKey, documentKey } from '../../core/store/keys.ts'
import { secondValues } from '../core/leveldb/second-values.ts'
import { Model } from './kill-nine-model.ts'
import { instantOf, type Operation, randomNumbers, roundOf } from './kill-nine-script.ts'

/** How a run of the writer ends: at steps of the engine, or some time after it starts to open the index. */
export type Death = { steps: string; withBackups?: boolean } | { afterMs: number }

/** Number of rounds after which a run ends even if its step was not reached. */
const ROUNDS = 40
/** Number of answers that are kept for comparison after later kills, and number of them that are compared each time. */
const ANSWERS = 60
const ASKED_AGAIN = 6
const queries = ['word1 word2', 'word0', 'word5 -word0', '"word0 word1"', 'word3 word9 word20'] as const

interface Answer {
  query: string
  queryTime: number
  results: SearchResult[]
}

/** An index through many runs of a writer, with a model of its contents and earlier answers. */
export class StepSubject {
  readonly model = new Model()
  /** Steps at which a run was killed or a write failed. */
  readonly stepsHit = new Set<string>()
  kills = 0
  /** Numbers of unacknowledged operations that survived, and that did not. */
  kept = 0
  lost = 0
  answersAskedAgain = 0
  /** Number of rounds for which superseded captures are kept; 0 is forever. */
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

  /** Runs the writer once for each death, then compares the index with the model. */
  async live(deaths: readonly Death[]): Promise<void> {
    const from = this.#round
    const acknowledged = new Set<string>()
    for (const death of deaths) {
      let last = this.#round - 1
      for (const line of await this.#life(death)) {
        acknowledged.add(line)
        last = Math.max(last, Number(line.split(' ')[0]))
      }
      // The round after the last acknowledged one may have started.
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
    // The model does not know what retention has deleted, nor what is written for statistics.
    expect(await examine(this.#dir)).toMatchObject({ sound: true })
    await this.#backupIsWholeOrNone()
  }

  /**
   * Returns the keys of segments and documents of which an older value is still on disk, which damage could restore. A
   * pack of bodies may have an older value: its bodies are the same, and deleted ones have no document.
   */
  overwritten(): Promise<string[]> {
    const kinds = [chunkKey(0, Stream.index, 0), documentKey(0)].map(([kind]) => kind)
    return secondValues(path.join(this.#dir, 'index'), ([kind]) => kinds.includes(kind))
  }

  async #backupIsWholeOrNone(): Promise<void> {
    if (existsSync(`${this.#dir}.backup`)) expect(await examine(`${this.#dir}.backup`)).toMatchObject({ sound: true })
    const partial = `${this.#dir}.backup.partial`
    if (!existsSync(path.join(partial, 'index', 'CURRENT'))) return
    // The file UNFINISHED is deleted last. Without it, the copy is complete and only needs to be renamed.
    if (!existsSync(path.join(partial, 'UNFINISHED'))) expect(await examine(partial)).toMatchObject({ sound: true })
  }

  /** Adds the operations that survived to the model. @returns the URLs of all attempted operations. */
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
        // A purge and a declared capture change the past, and so may change earlier answers.
        const declares = operation.kind === 'add' && operation.captures.some(({ declared }) => declared)
        if (operation.kind === 'purge' || declares) this.#answers = []
      }
    return touched
  }

  async #readsBack(engine: Engine, urls: ReadonlySet<string>, now: number): Promise<void> {
    for (const url of urls) {
      // With retention, only current pages are certain to exist.
      const seen = this.retainedRounds > 0 ? [] : this.model.versions(url).slice(-3)
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

  /** Checks that earlier answers are unchanged, to the last bit of every score, and keeps a new one for later. */
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

  /** Runs the writer until it ends. @returns its acknowledgements. */
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
        else if (code !== 0) return reject(new Error(`the writer exited without a kill with ${code}: ${errors}`))
        const lines = output.split('\n')
        // The kill may have cut off the last line.
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
