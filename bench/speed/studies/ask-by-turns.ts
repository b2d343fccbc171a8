import { performance } from 'node:perf_hooks'
import { bestOfRounds, percentile, sorted } from '../../apparatus/percentiles.ts'
import { interleave } from '../../apparatus/turns.ts'
import type { EngineName } from '../../engines/engine.ts'
import type { EngineProcess } from '../../engines/engine-process.ts'
import type { LaneName, Question } from '../../questions/question.ts'

/** An engine that is ready to search. */
export interface Serving {
  name: EngineName
  process: EngineProcess
  lanes: readonly LaneName[]
}

/** Times of one engine in one lane. */
export interface LaneFigures {
  lane: LaneName
  engine: EngineName
  wall: Times
  cpu: Times
  /** Mean number of results. */
  found: number
  /** Mean share of asof's results that this engine found, too; undefined if asof was not asked or found nothing. */
  agreement?: number
}

export interface Times {
  p50Ms: number
  p95Ms: number
  p99Ms: number
  maxMs: number
  /** Lowest and highest p50 of a single round. */
  p50SpreadMs: [number, number]
  /** Best time of each query over all rounds. */
  bestMs: number[]
}

/** Number of queries that an engine answers before the next engine's turn. */
const SLICE = 50
/** Time for which each engine searches before the first round, so that its code is compiled. */
const WARM_UP_MS = 2_000

interface Entry {
  lane: LaneName
  engine: Serving
  /** Milliseconds by round and query. */
  wall: number[][]
  cpu: number[][]
  /** For each query the page numbers of its results. */
  found: number[][]
}

/**
 * Measures all engines by turns: round by round, lane by lane, slice by slice, so that other load on the machine affects all
 * engines and lanes alike. An additional first round warms up and does not count.
 *
 * @param numberOf - returns the number of the page that a result stands for.
 */
export async function askByTurns(
  lanes: { lane: LaneName; questions: Question[] }[],
  engines: Serving[],
  rounds: number,
  numberOf: (id: unknown) => number,
  onRound: (round: number) => void,
): Promise<LaneFigures[]> {
  for (const { process } of engines) await warmUp(process, lanes[0]?.questions ?? [])
  const entries: Entry[] = lanes.flatMap(({ lane }) =>
    engines
      .filter(engine => engine.lanes.includes(lane))
      .map(engine => ({ lane, engine, wall: [], cpu: [], found: [] })),
  )
  for (let round = 0; round <= rounds; round++) {
    onRound(round)
    for (const { lane, questions } of lanes) {
      const asked = entries.filter(entry => entry.lane === lane)
      for (const entry of asked) {
        entry.wall.push([])
        entry.cpu.push([])
      }
      for (const { engine: entry, slice } of interleave(asked, questions, SLICE)) {
        const { wallNs, cpuNs, found } = await entry.engine.process.ask(slice)
        entry.wall.at(-1)!.push(...wallNs.map(toMs))
        entry.cpu.at(-1)!.push(...cpuNs.map(toMs))
        if (round === 0) entry.found.push(...found.map(ids => ids.map(numberOf)))
      }
    }
  }
  return entries.map(({ lane, engine, wall, cpu, found }) => {
    const asof = entries.find(other => other.lane === lane && other.engine.name === 'asof')
    return {
      lane,
      engine: engine.name,
      wall: timesOf(wall.slice(1)),
      cpu: timesOf(cpu.slice(1)),
      found: found.reduce((sum, { length }) => sum + length, 0) / found.length,
      agreement: asof && agreement(asof.found, found),
    }
  })
}

/** Returns the mean share of the wanted results that were found, over the queries that have any; undefined if none has. */
function agreement(wanted: number[][], found: number[][]): number | undefined {
  const shares = wanted.flatMap((numbers, query) => {
    const others = new Set(found[query])
    return numbers.length === 0
      ? []
      : [numbers.filter(number => !Number.isNaN(number) && others.has(number)).length / numbers.length]
  })
  return shares.length === 0 ? undefined : shares.reduce((sum, share) => sum + share, 0) / shares.length
}

async function warmUp(process: EngineProcess, questions: Question[]): Promise<void> {
  for (const startedMs = performance.now(); performance.now() - startedMs < WARM_UP_MS; )
    await process.ask(questions.slice(0, SLICE))
}

/** Rounds to microseconds, the resolution of the CPU clocks. */
const toMs = (ns: number) => Math.round(ns / 1_000) / 1_000

function timesOf(rounds: number[][]): Times {
  const bestMs = bestOfRounds(rounds)
  const ascending = sorted(bestMs)
  const medians = rounds.map(times => percentile(sorted(times), 0.5))
  return {
    p50Ms: percentile(ascending, 0.5),
    p95Ms: percentile(ascending, 0.95),
    p99Ms: percentile(ascending, 0.99),
    maxMs: percentile(ascending, 1),
    p50SpreadMs: [Math.min(...medians), Math.max(...medians)],
    bestMs,
  }
}
