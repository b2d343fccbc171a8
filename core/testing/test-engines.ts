import { AssertionError, rejects } from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ErrorCode, isAsofError } from '@asof/extract/errors'
import type { Engine } from '../engine/engine.ts'
import type { CaptureInput, ObservationInput } from '../page.ts'

/** Opens an engine for one test. */
export type OpenForContract = (options: ContractOptions) => Promise<Engine>

/** Opens an engine over the folder of a backup. */
export type OpenBackup = (dir: string, options: ContractOptions) => Promise<Engine>

/** The options with which a test opens an engine. */
export interface ContractOptions {
  /** The clock that the engine must use, epoch ms. */
  now: () => number
}

/** Defines one test. All engines that it opens are closed when it ends. */
export type ContractIt = (title: string, body: (engines: TestEngines) => Promise<void>) => unknown

/** The first instant of a test's clock, epoch ms. */
export const START_AT = Date.UTC(2024, 0, 1)
export const SECOND_MS = 1000

/** The engines of one test, which share one clock. The test sets the clock. */
export class TestEngines {
  /** The current instant, epoch ms. */
  now = START_AT
  readonly #open: OpenForContract
  readonly #opened: Engine[] = []
  #folder: string | undefined

  constructor(open: OpenForContract) {
    this.#open = open
  }

  async open(): Promise<Engine> {
    return this.closeLater(await this.#open({ now: () => this.now }))
  }

  /** Opens an engine and adds observations. */
  async openWith(...observations: ObservationInput[]): Promise<Engine> {
    const engine = await this.open()
    await engine.add(observations)
    return engine
  }

  closeLater(engine: Engine): Engine {
    this.#opened.push(engine)
    return engine
  }

  /** Creates a folder, which is deleted when the test ends. */
  async folder(): Promise<string> {
    this.#folder ??= await mkdtemp(join(tmpdir(), 'asof-contract-'))
    return this.#folder
  }

  async close(): Promise<void> {
    for (const engine of this.#opened) await engine.close()
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Returns a page of `example.com` for `Engine.add`. */
export function page(name: string, text: string, rest: Partial<CaptureInput> = {}): CaptureInput {
  return { url: testUrl(name), title: `Page ${name}`, text, ...rest }
}

export function testUrl(name: string): string {
  return `https://example.com/${name}`
}

/** Returns the URLs of a search's results, in order. */
export async function found(engine: Engine, query: string, queryTime?: number): Promise<string[]> {
  const { results } = await engine.search(query, queryTime === undefined ? {} : { queryTime })
  return results.map(({ url }) => url)
}

/** Returns all that an iteration yields, in a list. */
export async function listed<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

/** Checks that a call rejects with an error code and, if `field` is given, with that option name in `details.field`. */
export async function rejectsWith(code: ErrorCode, call: () => Promise<unknown>, field?: string): Promise<void> {
  await rejects(call, (error: unknown) => {
    if (!isAsofError(error, code)) return false
    return field === undefined || error.details?.field === field
  })
}

/** Checks that a test ends because its engine refused with ASOF_UNSUPPORTED, even where the test expects another error. */
export async function refuses(test: () => Promise<void>): Promise<void> {
  await rejects(test, (error: unknown) =>
    isAsofError(error instanceof AssertionError ? error.actual : error, 'ASOF_UNSUPPORTED'),
  )
}
