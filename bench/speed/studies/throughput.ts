import type { Contender, EngineProcess, FloodFigures } from '../../engines/engine-process.ts'
import type { Question } from '../../questions/question.ts'

export interface ThroughputFigures {
  engine: Contender['name']
  /** What was asked: ids of the top ten, or whole answers. */
  asked: Asked
  /** Threads that search; 0: the thread that was called. */
  threads: number
  /** Answers a second in the best of the rounds, and in the worst. */
  bestRate: number
  worstRate: number
  /** Event-loop delay at the 99th percentile in the best of the rounds; not where there is no event loop. */
  loopDelayP99Ms?: number
}

type Asked = 'or10' | 'answers'

const ROUNDS = 3
/** Every thread compiles, and fills caches, of its own. */
const WARM_UP_MS = 4_000
const FLOOD_MS = 2_000

/**
 * Answers a second with as many questions in flight as keep the threads busy. Numbers of threads take turns in every
 * round, each in a fresh process.
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
      // Lucene searches on the threads it is asked on, so it has no 0.
      for (const threads of new Set(contender.name === 'asof' ? [0, 1, cores] : [1, cores])) {
        const process = await contender.start({ searchThreads: threads })
        try {
          await process.open(folderOf(contender), questions.or10[0])
          // Two for each thread, one in hand and one waiting; Lucene's threads take the next by themselves.
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
