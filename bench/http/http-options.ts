import { parseArgs } from 'node:util'
import { defaultCorpus } from '../apparatus/synthetic.ts'

export interface HttpOptions {
  pages: number
  queries: number
  rounds: number
  connections: number
  /** Of the load at capacity. */
  seconds: number
  soakMinutes: number
  seed: number
  dir?: string
  keep: boolean
  jsonPath?: string
}

export const httpHelp = `npm run bench -- http [options]

Puts the HTTP server before a generated index, in a process of its own, and measures what the transport costs, how many
searches a second come through, and how it behaves at twice as many. Limits of requests are raised out of the way.

  --pages N         generated pages (100000)
  --queries N       different queries (500)
  --rounds N        timed rounds of the overhead; for each query the best counts (5)
  --connections N   connections of the load (100)
  --seconds N       of the load (20)
  --soak MINUTES    then twice the searches a second that came through, for so long (0: not at all)
  --seed N          seed of the corpus and the queries (${defaultCorpus.seed})
  --dir DIR         where pages and index go (a temporary folder)
  --keep            leaves them there, and takes what an earlier run with the same settings left
  --json FILE       writes every figure`

function number(name: string, value: string, least: number): number {
  const read = Number(value)
  if (!Number.isFinite(read) || read < least) throw new RangeError(`--${name} takes a number of at least ${least}`)
  return read
}

/** Reads the options of the suite; `undefined` when help was asked for. */
export function readHttpOptions(args: string[]): HttpOptions | undefined {
  const { values } = parseArgs({
    args,
    options: {
      pages: { type: 'string', default: '100000' },
      queries: { type: 'string', default: '500' },
      rounds: { type: 'string', default: '5' },
      connections: { type: 'string', default: '100' },
      seconds: { type: 'string', default: '20' },
      soak: { type: 'string', default: '0' },
      seed: { type: 'string', default: String(defaultCorpus.seed) },
      dir: { type: 'string' },
      keep: { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  if (values.keep && values.dir === undefined) throw new RangeError('--keep needs --dir')
  return {
    pages: Math.round(number('pages', values.pages, 1)),
    queries: Math.round(number('queries', values.queries, 1)),
    rounds: Math.round(number('rounds', values.rounds, 1)),
    connections: Math.round(number('connections', values.connections, 1)),
    seconds: number('seconds', values.seconds, 1),
    soakMinutes: number('soak', values.soak, 0),
    seed: Math.round(number('seed', values.seed, 0)),
    ...(values.dir !== undefined && { dir: values.dir }),
    keep: values.keep,
    ...(values.json !== undefined && { jsonPath: values.json }),
  }
}
