import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { defaultCorpus } from '../apparatus/synthetic.ts'
import { type EngineName, engineNames } from '../engines/engine.ts'
import { type LaneName, laneAbout, laneNames, type StudyName, studyAbout, studyNames } from '../questions/question.ts'

export interface SpeedOptions {
  sizes: number[]
  rivalPages: number
  seed: number
  realPath?: string
  engines: EngineName[]
  lanes: LaneName[]
  studies: StudyName[]
  searchThreads?: number
  /** Folder of real HTML. */
  htmlFrom?: string
  queries: number
  rounds: number
  batch: number
  lucene?: string
  dir?: string
  keep: boolean
  reindex: EngineName[]
  jsonPath?: string
  htmlPath?: string
}

/** Real pages that a checkout may have beside it. */
const fixtures = join(import.meta.dirname, '..', '..', '..', 'shared', 'fixtures')

const laneList = Object.entries({ ...laneAbout, ...studyAbout })
  .map(([name, about]) => `                     ${name.padEnd(14)}${about}`)
  .join('\n')
const laneAndStudyNames = [...laneNames, ...studyNames]

export const speedHelp = `npm run bench -- speed [options]

Indexes the same pages in asof and its rivals, then asks all of them the same queries by turns, each engine in its own
process. For each query the best of the rounds counts; percentiles are taken over the queries.

  --pages N,M      sizes of the corpus, each a run of its own (100000)
  --real FILE      real pages: JSON lines of url, title, text or markdown, published_at; .gz or plain
                   (see npm run bench -- real-pages); --pages then takes the first N, all by default
  --engines A,B    ${engineNames.join(', ')} (all that are there)
  --rival-pages N  most pages that engines other than asof and Lucene are given; larger sizes go without them (100000)
  --lucene DIR     folder that has Lucene's jars (core and analyzers-common or analysis-common) in it or below, such as
                   ~/.m2/repository/org/apache/lucene (those that Debian installs)
  --lanes A,B      what is measured (all):
${laneList}
  --search-threads N   threads that answer asof's lanes, or "default" for what it chooses; 0 answers on the thread
                       that is called, as every other engine does (0)
  --html-from DIR  HTML pages for the study html (../shared/fixtures, when there)
  --queries N      queries a lane (500)
  --rounds N       timed rounds after one to warm up (5)
  --batch N        pages an add call takes (5000)
  --seed N         seed of the corpus and the queries (${defaultCorpus.seed})
  --dir DIR        where pages and indexes go (a temporary folder)
  --keep           leaves them there, and takes what an earlier run with the same settings left
  --reindex A,B    engines whose kept index is built anew
  --json FILE      writes every figure, query by query
  --html FILE      writes the report as one page that opens without a network`

function positive(name: string, value: string): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number) || number < 1) throw new RangeError(`--${name} takes a whole number above 0`)
  return number
}

function chosen<Name extends string>(option: string, list: string, known: readonly Name[]): Name[] {
  const names = list.split(',').filter(name => name !== '')
  const unknown = names.find(name => !known.includes(name as Name))
  if (unknown !== undefined) throw new RangeError(`--${option} knows ${known.join(', ')}, not ${unknown}`)
  return known.filter(name => names.includes(name))
}

/** Reads the options of the suite; `undefined` when help was asked for. */
export function readSpeedOptions(args: string[]): SpeedOptions | undefined {
  const { values } = parseArgs({
    args,
    options: {
      pages: { type: 'string' },
      real: { type: 'string' },
      engines: { type: 'string', default: engineNames.join(',') },
      'rival-pages': { type: 'string', default: '100000' },
      lucene: { type: 'string' },
      lanes: { type: 'string', default: laneAndStudyNames.join(',') },
      'search-threads': { type: 'string', default: '0' },
      'html-from': { type: 'string' },
      queries: { type: 'string', default: '500' },
      rounds: { type: 'string', default: '5' },
      batch: { type: 'string', default: '5000' },
      seed: { type: 'string', default: String(defaultCorpus.seed) },
      dir: { type: 'string' },
      keep: { type: 'boolean', default: false },
      reindex: { type: 'string', default: '' },
      json: { type: 'string' },
      html: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  if (values.keep && values.dir === undefined) throw new RangeError('--keep needs --dir')
  const measured = chosen('lanes', values.lanes, laneAndStudyNames)
  const searchThreads = values['search-threads'] === 'default' ? undefined : Number(values['search-threads'])
  const htmlFrom = values['html-from'] ?? (existsSync(fixtures) ? fixtures : undefined)
  const sizes = values.pages?.split(',').map(size => positive('pages', size))
  return {
    sizes: sizes ?? [values.real === undefined ? 100_000 : Number.MAX_SAFE_INTEGER],
    rivalPages: positive('rival-pages', values['rival-pages']),
    seed: positive('seed', values.seed),
    ...(values.real !== undefined && { realPath: values.real }),
    engines: chosen('engines', values.engines, engineNames),
    lanes: laneNames.filter(name => measured.includes(name)),
    studies: studyNames.filter(name => measured.includes(name)),
    ...(searchThreads !== undefined && { searchThreads }),
    ...(htmlFrom !== undefined && { htmlFrom }),
    queries: positive('queries', values.queries),
    rounds: positive('rounds', values.rounds),
    batch: positive('batch', values.batch),
    ...(values.lucene !== undefined && { lucene: values.lucene }),
    ...(values.dir !== undefined && { dir: values.dir }),
    keep: values.keep,
    reindex: chosen('reindex', values.reindex, engineNames),
    ...(values.json !== undefined && { jsonPath: values.json }),
    ...(values.html !== undefined && { htmlPath: values.html }),
  }
}
