import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CrossEncoder } from '@asof/encoder'
import { RERANKED } from '../../core/models/reranking.ts'
import { machine } from '../apparatus/machine.ts'
import { percentile, sorted } from '../apparatus/percentiles.ts'
import { seededRandom } from '../apparatus/random.ts'
import { milliseconds, table } from '../apparatus/text-table.ts'
import { smallSizes, wordOf, writeRandomReranker } from './random-reranker.ts'

const help = `npm run bench -- rerank [options]

Re-ranks ${RERANKED} texts, as many as a search in mode pro does, by a model in this process: a ModernBERT of 17 million parameters
with random weights, which takes the time of a trained one. Times are wall-clock times of one search at a
time, and the processor time of all threads.

  --threads A,B   numbers of threads (1,2)
  --tokens N      tokens of query and text together (128)
  --searches N    number of searches of each lane (20)
  --model DIR     a folder with a trained model instead
  --seed N        seed of the weights and the texts (1)`

const QUERY_WORDS = 8

/** The suite `rerank`: how long a reranking model in the process takes. */
export async function rerank(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      threads: { type: 'string', default: '1,2' },
      tokens: { type: 'string', default: '128' },
      searches: { type: 'string', default: '20' },
      model: { type: 'string' },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(help)
    return
  }
  const [tokens, searches, seed] = [values.tokens, values.searches, values.seed].map(Number) as [number, number, number]
  const folder = mkdtempSync(join(tmpdir(), 'asof-rerank-'))
  try {
    if (values.model === undefined) writeRandomReranker(folder, smallSizes, seed)
    const path = values.model ?? folder
    const rows: string[][] = []
    for (const threads of values.threads.split(',').map(Number)) {
      const { times, cpuMs } = await timesOf({ path, threads, maxTokens: tokens }, searches, seed)
      const shares = [0, 0.5, 0.9].map(share => percentile(times, share))
      rows.push([String(threads), ...[...shares, cpuMs].map(milliseconds)])
    }
    const { commit, processor, cores, node } = machine()
    console.log(`${RERANKED} texts of ${tokens} tokens, ${searches} searches`)
    console.log(table(['threads', 'best ms', 'p50 ms', 'p90 ms', 'CPU ms'], rows))
    console.log(`asof ${commit}; Node ${node}, ${processor}, ${cores} cores`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Returns the milliseconds of each search, in ascending order, and the processor time of the one that took the least. */
async function timesOf(
  { path, threads, maxTokens }: { path: string; threads: number; maxTokens: number },
  searches: number,
  seed: number,
): Promise<{ times: number[]; cpuMs: number }> {
  const encoder = await CrossEncoder.open({ path, threads, maxTokens })
  try {
    const random = seededRandom(seed)
    const words = (count: number) =>
      Array.from({ length: count }, () => wordOf(random.below(smallSizes.vocabulary), smallSizes)).join(' ')
    const search = async () => {
      // Texts longer than the model reads, so that each fills all of its tokens.
      const texts = Array.from({ length: RERANKED }, () => words(maxTokens))
      const query = words(QUERY_WORDS)
      const [beganMs, before] = [performance.now(), process.cpuUsage()]
      await encoder.rerank(query, texts)
      const { user, system } = process.cpuUsage(before)
      return { ms: performance.now() - beganMs, cpuMs: (user + system) / 1000 }
    }
    // The first search starts the threads.
    await search()
    const all: { ms: number; cpuMs: number }[] = []
    for (let i = 0; i < searches; i++) all.push(await search())
    return { times: sorted(all.map(({ ms }) => ms)), cpuMs: Math.min(...all.map(({ cpuMs }) => cpuMs)) }
  } finally {
    await encoder.close()
  }
}
