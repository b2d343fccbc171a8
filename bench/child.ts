/** The measured process: one engine, told by its parent what to do, so that its memory is its own. */
import { performance } from 'node:perf_hooks'
import { type EngineName, type Lane, loadEngine } from './engine.ts'
import { seededRandom } from './random.ts'
import { type CorpusSettings, SyntheticCorpus } from './synthetic.ts'

export interface Job {
  engine: EngineName
  folder: string
  corpus: CorpusSettings
  /** Pages an `add` call takes. */
  batch: number
  phases: ('index' | 'search')[]
  lanes: Lane[]
  /**
   * For each lane its sets of queries: the first warms up, the others are timed. No query is asked twice, in no lane
   * either, so that no cache of answers can help.
   */
  rounds: string[][][]
}

export interface IndexFigures {
  seconds: number
  pagesPerSecond: number
  /** Pages per second of the slowest and the fastest batch. */
  slowest: number
  fastest: number
  /** After a garbage collection, with the index loaded. */
  residentBytes: number
  peakBytes: number
}

export interface SearchFigures {
  lane: string
  p50Ms: number
  p95Ms: number
  maxMs: number
  /** Lowest and highest p50 of a round. */
  p50SpreadMs: [number, number]
  /** Mean results a query. */
  found: number
}

export interface Outcome {
  settings: string
  index?: IndexFigures
  /** On disk, once everything is saved. */
  diskBytes: number
  search: SearchFigures[]
  /** While searching, after a garbage collection. */
  servingBytes?: number
}

/** The value that `share` of the sorted values do not exceed. */
function percentile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * share) - 1))]
}

function residentAfterGc(): number {
  globalThis.gc?.()
  return process.memoryUsage.rss()
}

async function run(job: Job): Promise<Outcome> {
  const engine = await (await loadEngine(job.engine)).open(job.folder)
  const corpus = new SyntheticCorpus(job.corpus)
  const outcome: Outcome = { settings: engine.settings, diskBytes: 0, search: [] }

  if (job.phases.includes('index')) {
    const { pages } = job.corpus
    const rates: number[] = []
    let totalMs = 0
    for (let from = 0; from < pages; from += job.batch) {
      // Made outside the clock: what is timed is the engine.
      const batch = corpus.slice(from, Math.min(pages, from + job.batch))
      const startedMs = performance.now()
      await engine.add(batch)
      const tookMs = performance.now() - startedMs
      totalMs += tookMs
      rates.push((batch.length / tookMs) * 1000)
    }
    const residentBytes = residentAfterGc()
    const peakBytes = process.resourceUsage().maxRSS * 1024
    outcome.index = {
      seconds: totalMs / 1000,
      pagesPerSecond: (pages / totalMs) * 1000,
      slowest: Math.min(...rates),
      fastest: Math.max(...rates),
      residentBytes,
      peakBytes,
    }
  }

  if (job.phases.includes('search')) {
    for (const [laneNumber, lane] of job.lanes.entries()) {
      const cuts = seededRandom(job.corpus.seed, 0xc07)
      const medians: number[] = []
      const all: number[] = []
      let found = 0
      for (const [round, queries] of job.rounds[laneNumber].entries()) {
        const times: number[] = []
        for (const query of queries) {
          const queryAt = lane.pastCut
            ? corpus.acquiredAtOf(Math.floor(job.corpus.pages * (0.1 + 0.8 * cuts.next())))
            : undefined
          const options = { ...(queryAt !== undefined && { queryAt }), ...(lane.snippets && { snippets: true }) }
          const startedMs = performance.now()
          const ids = await engine.search(query, options)
          times.push(performance.now() - startedMs)
          if (round > 0) found += ids.length
        }
        if (round === 0) continue
        times.sort((a, b) => a - b)
        medians.push(percentile(times, 0.5))
        all.push(...times)
      }
      all.sort((a, b) => a - b)
      outcome.search.push({
        lane: lane.name,
        p50Ms: percentile(all, 0.5),
        p95Ms: percentile(all, 0.95),
        maxMs: all.at(-1)!,
        p50SpreadMs: [Math.min(...medians), Math.max(...medians)],
        found: found / all.length,
      })
    }
    outcome.servingBytes = residentAfterGc()
  }
  // Last: what a rival builds in memory to write itself out is not what it needs to serve.
  outcome.diskBytes = await engine.save()
  await engine.close()
  return outcome
}

process.once('message', async (job: Job) => {
  const outcome = await run(job)
  process.send!(outcome, () => process.disconnect())
})
