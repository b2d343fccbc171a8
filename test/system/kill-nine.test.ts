import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { type Engine, open } from '../../core/index.ts'
import { FolderStore } from '../../core/store/folder-store.ts'
import { bodyKey, documentKey, type KeyRange, manifestKey, urlKey } from '../../core/store/keys.ts'
import { decodeManifest } from '../../core/store/manifest.ts'
import { casesOf } from '../cases.ts'
import { seed } from '../histories.ts'
import { Model } from './kill-nine-model.ts'
import {
  inputOf,
  instantOf,
  type Mode,
  type Operation,
  randomNumbers,
  roundOf,
  type ScriptCapture,
} from './kill-nine-script.ts'

const KILLS = casesOf(30)
const FOLDERS = Math.ceil(KILLS / 10)
const KILLS_PER_FOLDER = Math.ceil(KILLS / FOLDERS)
const MERGE_KILLS = casesOf(20)
/** Number of earlier captures that are checked after each kill. After the last kill of a folder, all captures are checked. */
const SAMPLE = 60

/** An index that survives several kills, with a model of its contents and a mirror that receives the same as declared history. */
class Subject {
  readonly model = new Model()
  round = 1
  kills = 0
  /** Number of kills during a merge, as far as the writer's output or the files that it left show. */
  mergesHit = 0
  /** Numbers of unacknowledged operations that survived, and that did not. */
  kept = 0
  lost = 0
  readonly #dir: string
  readonly #mode: Mode
  readonly #seed: number
  readonly #random: () => number
  readonly #mirror: Engine
  readonly #mirrorClock: { at: number }
  readonly #unmirrored: ScriptCapture[] = []
  #wasMerging = false

  private constructor(dir: string, mode: Mode, seed: number, mirror: Engine, mirrorClock: { at: number }) {
    this.#dir = dir
    this.#mode = mode
    this.#seed = seed
    this.#random = randomNumbers(seed)
    this.#mirror = mirror
    this.#mirrorClock = mirrorClock
  }

  static async in(dir: string, mode: Mode, seed: number): Promise<Subject> {
    const clock = { at: 0 }
    const mirror = await open(path.join(dir, 'mirror'), { now: () => clock.at })
    return new Subject(path.join(dir, 'index'), mode, seed, mirror, clock)
  }

  /** Runs the writer, kills it at a random moment, and compares the index with the model. */
  async live(isLast: boolean): Promise<void> {
    const acknowledged = await this.#killedAfter(Math.floor(this.#random() * (this.#mode === 'mixed' ? 50 : 5)))
    this.kills++
    const orphans = await this.#strayChunks()
    if (orphans > 0 || this.#wasMerging) this.mergesHit++
    const fresh = new Model()
    let last = this.round - 1
    for (const [round] of acknowledged) last = Math.max(last, round)
    const done = new Set(acknowledged.map(([round, index]) => `${round}/${index}`))
    const clockAt = instantOf(last + 2) - 1
    const engine = await open(this.#dir, { now: () => clockAt })
    try {
      for (let round = this.round; round <= last + 1; round++) {
        this.#mirrorClock.at = instantOf(round)
        for (const [index, operation] of roundOf(this.#seed, round, this.#mode).entries()) {
          const isAcknowledged = done.has(`${round}/${index}`)
          if (!isAcknowledged && round < last) throw new Error(`round ${round} was left before its end`)
          const isThere = isAcknowledged || (await this.model.survived(operation, round, engine))
          if (!isThere) this.lost++
          else if (!isAcknowledged) this.kept++
          if (!isThere) continue
          // The writer skips the removal of a page that is not in the index.
          if (operation.kind === 'remove' && !this.model.hasPage(operation.url)) continue
          this.model.apply(operation, round)
          fresh.apply(operation, round)
          await this.#mirrored(operation)
        }
      }
      await this.#mirrorAdds()
      this.#mirrorClock.at = clockAt
      this.round = last + 2
      const old = this.model.captures
      await this.#readsBack(
        engine,
        fresh.captures.map(({ url }) => url),
        clockAt,
      )
      await this.#readsBack(
        engine,
        isLast ? old.map(({ url }) => url) : this.#sampled(old.map(({ url }) => url)),
        clockAt,
      )
      await this.#answersAgree(engine, this.#mirror, clockAt)
      const stats = await engine.stats()
      expect({ captures: stats.captures, urls: stats.urls }).toEqual({
        captures: old.length,
        urls: this.model.histories.size,
      })
    } finally {
      await engine.close()
    }
    await this.#holdsNothingElse()
  }

  /** Compares the index with a new one that receives all surviving operations in the order of their times. */
  async end(): Promise<void> {
    await this.#mirror.close()
    let clockAt = instantOf(this.round)
    const engine = await open(this.#dir, { now: () => clockAt })
    const fresh = await open(path.join(path.dirname(this.#dir), 'fresh'), { now: () => clockAt })
    try {
      let batch: ScriptCapture[] = []
      const added = async (): Promise<void> => {
        await fresh.add(batch.map(capture => inputOf(capture, true)))
        batch = []
      }
      const all = [...this.model.histories].flatMap(([url, history]) => history.map(seen => ({ url, ...seen })))
      for (const { url, at, capture } of all.sort((a, b) => a.at - b.at)) {
        clockAt = at
        if (capture) batch.push(capture)
        else {
          await added()
          await fresh.remove(url)
        }
      }
      await added()
      clockAt = instantOf(this.round)
      await this.#answersAgree(engine, fresh, clockAt)
    } finally {
      await engine.close()
      await fresh.close()
    }
  }

  /** Applies an operation to the mirror, with other batches of captures than in the index. */
  async #mirrored(operation: Operation): Promise<void> {
    if (operation.kind === 'add') this.#unmirrored.push(...operation.captures)
    else {
      await this.#mirrorAdds()
      await this.#mirror[operation.kind](operation.url)
    }
  }

  async #mirrorAdds(): Promise<void> {
    await this.#mirror.add(this.#unmirrored.splice(0).map(capture => inputOf(capture, true)))
  }

  /** Runs the writer and kills it. @param count - acknowledgements, or started merges, before the kill is scheduled. */
  async #killedAfter(count: number): Promise<[round: number, index: number][]> {
    const child = spawn(
      process.execPath,
      [
        path.join(import.meta.dirname, 'kill-nine-writer.ts'),
        this.#dir,
        String(this.#seed),
        String(this.round),
        this.#mode,
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    let errors = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors += text
    })
    const closed = once(child, 'close')
    const acknowledged: [number, number][] = []
    let withinMs = this.#mode === 'mixed' ? 30 : 10
    const delay = this.#random()
    let seen = 0
    let mergingSince: number | undefined
    for await (const line of createInterface({ input: child.stdout as NonNullable<ChildProcess['stdout']> })) {
      if (/^\d/.test(line)) acknowledged.push(line.split(' ').map(Number) as [number, number])
      else if (line === 'merging') mergingSince = performance.now()
      else if (mergingSince !== undefined) {
        withinMs = performance.now() - mergingSince
        mergingSince = undefined
      }
      const isNear = this.#mode === 'mixed' || line === 'merging'
      if (isNear && seen++ === count) setTimeout(() => child.kill('SIGKILL'), delay * withinMs)
    }
    this.#wasMerging = mergingSince !== undefined
    const [code, signal] = await closed
    if (signal !== 'SIGKILL') throw new Error(`the writer exited without a kill with ${code}: ${errors}`)
    return acknowledged
  }

  async #readsBack(engine: Engine, urls: readonly string[], now: number): Promise<void> {
    for (const url of new Set(urls)) {
      const history = this.model.histories.get(url) ?? []
      for (const { at, capture } of history) {
        const token = this.model.tokenAt(url, at)
        const page = await engine.page(url, { queryTime: at })
        if (token === undefined || !capture) {
          expect(page, `${url} at ${at}`).toBeUndefined()
          continue
        }
        expect(page?.acquiredAt, `${url} at ${at}`).toBe(at)
        expect(page?.markdown).toContain(token)
        const { results } = await engine.search(token, { queryTime: at, snippetMaxLength: 0 })
        expect(results.map(result => [result.url, result.acquiredAt])).toEqual([[url, at]])
      }
      const page = await engine.page(url)
      const token = this.model.tokenAt(url, now)
      if (token === undefined) expect(page).toBeUndefined()
      else expect(page?.markdown).toContain(token)
    }
  }

  async #answersAgree(engine: Engine, other: Engine, now: number): Promise<void> {
    for (const query of [
      'word1 word2 word30',
      'word0',
      'word200 word399 word7',
      '"word0 word1"',
      'word3 -word0 site:example.org',
    ])
      for (const queryTime of [now, instantOf(1) + Math.floor(this.#random() * (now - instantOf(1)))]) {
        const [a, b] = [await engine.search(query, { queryTime }), await other.search(query, { queryTime })]
        expect(a.results, `${query} at ${queryTime}`).toEqual(b.results)
        expect(a.receipt.captures).toBe(b.receipt.captures)
        expect(a.receipt.purged).toBe(this.model.purged)
      }
  }

  #sampled<T>(all: readonly T[]): T[] {
    return all.length <= SAMPLE
      ? [...all]
      : Array.from({ length: SAMPLE }, () => all[Math.floor(this.#random() * all.length)]!)
  }

  /** Returns the number of stored segments that the manifest does not name, before any are cleared. */
  async #strayChunks(): Promise<number> {
    const store = await FolderStore.open(path.join(this.#dir, 'index'), { cacheBytes: 1024 })
    try {
      const stored = store.get(manifestKey)
      const named = new Set(stored ? decodeManifest(stored).segments.map(({ id }) => id) : [])
      return [...(await store.segmentsPresent())].filter(id => !named.has(id)).length
    } finally {
      await store.close()
    }
  }

  /** Checks that every key of the closed index belongs to a segment, capture or URL of the model. */
  async #holdsNothingElse(): Promise<void> {
    expect(await this.#strayChunks()).toBe(0)
    const store = await FolderStore.open(path.join(this.#dir, 'index'), { cacheBytes: 1024 })
    const count = async (range: KeyRange): Promise<number> => {
      let keys = 0
      for await (const _ of store.iterate(range)) keys++
      return keys
    }
    try {
      const captures = this.model.captures.length
      expect(await count({ gte: documentKey(0), lt: documentKey(0xffff_ffff) })).toBe(captures)
      expect(await count({ gte: bodyKey(0), lt: bodyKey(0xffff_ffff) })).toBeLessThanOrEqual(captures)
      expect(await count({ gte: urlKey(''), lt: urlKey('\uffff') })).toBe(this.model.histories.size)
    } finally {
      await store.close()
    }
  }
}

async function withFolder<T>(use: (dir: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(path.join(tmpdir(), 'asof-kill-'))
  try {
    return await use(dir)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

describe(`kill -9 (seed ${seed})`, () => {
  for (let folder = 0; folder < FOLDERS; folder++)
    it(`loses no acknowledged operation and applies every other one completely or not at all, in ${KILLS_PER_FOLDER} kills in folder ${folder}`, () =>
      withFolder(async dir => {
        const subject = await Subject.in(dir, 'mixed', seed + folder)
        for (let kill = 1; kill <= KILLS_PER_FOLDER; kill++) await subject.live(kill === KILLS_PER_FOLDER)
        console.log(
          `folder ${folder}: ${subject.kills} kills, ${subject.mergesHit} in a merge, ${subject.model.captures.length} captures, ` +
            `unacknowledged: ${subject.kept} there, ${subject.lost} not`,
        )
        await subject.end()
      }))

  it(`loses nothing in at least ${MERGE_KILLS} kills aimed at merges, of which at least ${MERGE_KILLS / 2} hit one`, () =>
    withFolder(async dir => {
      const subject = await Subject.in(dir, 'merges', seed + FOLDERS)
      // On a busy machine kills come late, so more of them miss.
      while (subject.kills < MERGE_KILLS - 1 || subject.mergesHit < MERGE_KILLS / 2) await subject.live(false)
      await subject.live(true)
      console.log(
        `${subject.mergesHit} of ${subject.kills} kills hit a merge, ${subject.model.captures.length} captures`,
      )
      await subject.end()
    }))
})
