import type { Contender, EngineProcess, FloodFigures } from '../../engines/engine-process.ts'
import type { Question } from '../../questions/question.ts'

/** Throughput of one engine with a number of threads. */
export interface ThroughputFigures {
  engine: Contender['name']
  /** Lane of the queries: ids of the top ten, or whole answers. */
  asked: Asked
  /** Number of search threads; 0 means the calling thread. */
  threads: number
  /** Answers per second in the best round. */
  bestRate: number
  /** Answers per second in the worst round. */
  worstRate: number
  /** 99th percentile of the event-loop delay in the best round; undefined for engines without an event loop. */
  loopDelayP99Ms?: number
}

type Asked = 'or10' | 'answers'

const ROUNDS = 3
/** Time for which the threads search before the measurement, so that each one compiles its code and fills its caches. */
const WARM_UP_MS = 4_000
const FLOOD_MS = 2_000

/**
 * Measures answers per second with enough concurrent queries to keep the threads busy. In every round each number of threads is
 * measured once, in a fresh process.
 */
export async function throughput(
  contenders: Contender[],
  folderOf: (contender: Contender) => string,
  questions: Record<Asked, Question[]>,
  { cores }: { cores: number },
): Promise<ThroughputFigures[]> {
  const figures: ThroughputFigures[] = []
  for (let round = 0; round < ROUNDS; round++) {
    for (const contender of contenders) {
      const lanes = (['or10', 'answers'] as const).filter(lane => contender.lanes.includes(lane))
      // Lucene, tantivy and SeekStorm search on their calling threads, so 0 does not apply.
      for (const threads of new Set(contender.name === 'asof' ? [0, 1, cores] : [1, cores])) {
        const process = await contender.start({ searchThreads: threads })
        try {
          await process.open(folderOf(contender), questions.or10[0]!)
          // asof gets two queries per thread: one runs and one waits. In the other engines each thread takes its next query
          // itself.
          const inFlight = contender.name === 'asof' ? Math.max(1, threads * 2) : threads
          for (const asked of lanes)
            note(figures, { engine: contender.name, asked, threads }, await flood(process, inFlight, questions[asked]))
        } finally {
          await process.stop()
        }
      }
    }
  }
  return figures.toSorted((a, b) => b.asked.localeCompare(a.asked))
}

async function flood(process: EngineProcess, inFlight: number, questions: Question[]): Promise<FloodFigures> {
  await process.flood(inFlight, WARM_UP_MS, questions)
  return await process.flood(inFlight, FLOOD_MS, questions)
}

function note(
  figures: ThroughputFigures[],
  plan: Pick<ThroughputFigures, 'engine' | 'asked' | 'threads'>,
  { answered, seconds, loopDelayP99Ms }: FloodFigures,
): void {
  const rate = answered / seconds
  const delay = loopDelayP99Ms === undefined ? {} : { loopDelayP99Ms }
  const known = figures.find(
    one => one.engine === plan.engine && one.asked === plan.asked && one.threads === plan.threads,
  )
  if (!known) figures.push({ ...plan, bestRate: rate, worstRate: rate, ...delay })
  else if (rate > known.bestRate) Object.assign(known, { bestRate: rate, ...delay })
  else known.worstRate = Math.min(known.worstRate, rate)
}
