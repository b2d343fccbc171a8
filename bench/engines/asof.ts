import { setTimeout } from 'node:timers/promises'
import { open as openAsof } from '@asof/core'
import { leanAllocator, leanFlags } from '../../transports/cli/lean-memory.ts'
import { fieldsOf } from '../apparatus/page-file.ts'
import { laneNames } from '../questions/question.ts'
import { optionsOf, textOf } from './asof-question.ts'
import type { BenchEngine, EngineOptions } from './engine.ts'

/** Share of one core below which the engine counts as idle. */
const IDLE_SHARE = 0.05
const IDLE_FOR_MS = 5_000

export const settings = `asof: default options; two fields a page; markdown in, stores text and positions, every add durable (synced); mode realtime; memory settings of the command: ${[...leanFlags, ...Object.entries(leanAllocator).map(([name, value]) => `${name}=${value}`)].join(' ')}`
export const persistent = true
/** Also `ids`, although every result of asof has its URL, title and dates as well. */
export const lanes = laneNames

/** Resolves when this process has been idle for some seconds: the merges of its engines are then done. */
export async function untilIdle(): Promise<void> {
  for (let idleMs = 0; idleMs < IDLE_FOR_MS; idleMs += 200) {
    const before = process.cpuUsage()
    await setTimeout(200)
    const { user, system } = process.cpuUsage(before)
    if (user + system > 200_000 * IDLE_SHARE) idleMs = 0
  }
}

export async function open(folder: string, { body = 'markdown', ...options }: EngineOptions): Promise<BenchEngine> {
  const engine = await openAsof(folder, options)
  return {
    async add(pages) {
      const { added, failures } = await engine.add(
        pages.map(({ number, url, title, text, publishedAt, acquiredAt }) => ({
          url,
          title,
          [body]: text,
          acquiredAt,
          publishedAt,
          fields: fieldsOf(number),
        })),
      )
      if (failures[0]) throw new Error(failures[0].message)
      if (added !== pages.length) throw new Error(`asof added ${added} of ${pages.length} pages`)
    },
    settle: untilIdle,
    async search(question) {
      const { results } = await engine.search(textOf(question), optionsOf(question))
      return results.map(({ url }) => url)
    },
    async explain(question) {
      const { explain } = await engine.search(textOf(question), { ...optionsOf(question), explain: true })
      return { ...explain!.timings }
    },
    close: () => engine.close(),
  }
}
