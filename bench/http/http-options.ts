import { parseArgs } from 'node:util'
import { defaultCorpus } from '../apparatus/synthetic.ts'

/** Options of the suite `http`, see {@link httpHelp}. */
export interface HttpOptions {
  pages: number
  queries: number
  rounds: number
  connections: number
  /** Duration of the load test. */
  seconds: number
  soakMinutes: number
  seed: number
  dir?: string
  keep: boolean
  jsonPath?: string
}

export const httpHelp = `npm run bench -- http [options]

Runs the HTTP server over an index of generated pages, in a process of its own, and measures the overhead of the transport,
the number of searches per second, and the behavior under overload. Rate limits are raised so that they do not apply.

  --pages N         number of generated pages (100000)
  --queries N       number of different queries (500)
  --rounds N        number of timed rounds of the overhead; of each query the best round counts (5)
  --connections N   number of connections of the load test (100)
  --seconds N       duration of the load test (20)
  --soak MINUTES    then send twice the measured searches per second for MINUTES; 0 skips this (0)
  --seed N          seed of the pages and the queries (${defaultCorpus.seed})
  --dir DIR         folder for pages and index (a temporary folder)
  --keep            keep pages and index in --dir, and reuse those of an earlier run with the same settings
  --json FILE       write all figures`

function number(name: string, value: string, least: number): number {
  const read = Number(value)
  if (!Number.isFinite(read) || read < least)
    throw new RangeError(`--${name} must be a number of at least ${least}, not "${value}"`)
  return read
}

/** Parses the options; returns undefined for `--help`. */
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
  if (values.keep && values.dir === undefined) throw new RangeError('--keep requires --dir, the folder to keep')
  return {
    pages: Math.round(number('pages', values.pages, 1)),
    queries: Math.round(number('queries', values.queries, 1)),
    rounds: Math.round(number('rounds', values.rounds, 1)),
    connections: Math.round(number('connections', values.connections, 1)),
    seconds: number('seconds', values.seconds, 1),
    soakMinutes: number('soak', values.soak, 0),
    seed: Math.round(number('seed', values.seed, 0)),
    dir: values.dir,
    keep: values.keep,
    jsonPath: values.json,
  }
}
