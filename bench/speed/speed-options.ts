import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { defaultCorpus } from '../apparatus/synthetic.ts'
import { type EngineName, engineNames } from '../engines/engine.ts'
import { type LaneName, laneAbout, laneNames, type StudyName, studyAbout, studyNames } from '../questions/question.ts'

/** Options of the suite `speed`, see {@link speedHelp}. */
export interface SpeedOptions {
  sizes: number[]
  rivalPages: number
  seed: number
  realPath?: string
  /** True if all captures of pages that change are indexed, instead of pages that were captured once. */
  versions: boolean
  engines: EngineName[]
  lanes: LaneName[]
  studies: StudyName[]
  searchThreads?: number
  /** Folder of HTML pages for the study `html`. */
  htmlFrom?: string
  queries: number
  rounds: number
  batch: number
  dir?: string
  keep: boolean
  reindex: EngineName[]
  jsonPath?: string
  htmlPath?: string
}

/** Default folder of HTML pages, beside the checkout; it need not exist. */
const fixtures = join(import.meta.dirname, '..', '..', '..', 'shared', 'fixtures')

const laneList = Object.entries({ ...laneAbout, ...studyAbout })
  .map(([name, about]) => `                     ${name.padEnd(14)}${about}`)
  .join('\n')
/** Default lanes of `--versions`: as of now and as of random instants. */
const versionLanes: readonly LaneName[] = ['or10', 'or12', 'asof', 'or12-asof']
const VERSIONED_SIZES = [2_000, 10_000]
const laneAndStudyNames = [...laneNames, ...studyNames]

export const speedHelp = `npm run bench -- speed [options]

Measures asof and other engines on the same pages: indexing, disk use, memory, and the same queries by turns, each engine in
its own process. Of each query the best round counts; percentiles are over the queries.

  --pages N,M      numbers of generated pages, each measured separately (100000)
  --real FILE      real pages instead: JSON lines with url, title, text or markdown, published_at; plain or .gz
                   (npm run bench -- real-pages makes them); --pages N then takes the first N (all), and if
                   the file has fewer, edited copies of them
  --versions       all captures of generated pages instead: 1 to 50 of each of N pages, and 400 of one page in 500, so that most
                   are superseded. Measures asof alone, in the lanes ${versionLanes.join(', ')}, for 2,000 and 10,000 pages
  --engines A,B    ${engineNames.join(', ')} (all that are installed)
  --rival-pages N  largest size to measure engines other than asof, Lucene, tantivy and SeekStorm on (100000)
  --lanes A,B      lanes and studies to measure (all):
${laneList}
  --search-threads N   number of asof's search threads, or "default" for asof's default; 0 searches on the calling
                       thread, as every other engine does (0)
  --html-from DIR  HTML pages for the study html (../shared/fixtures, if it exists)
  --queries N      number of queries in a lane (500)
  --rounds N       number of timed rounds, after one that warms up (5)
  --batch N        number of pages in an add call (5000)
  --seed N         seed of the pages and the queries (${defaultCorpus.seed})
  --dir DIR        folder for pages and indexes (a temporary folder)
  --keep           keep pages and indexes in --dir, and reuse those of an earlier run with the same settings
  --reindex A,B    engines whose kept index is rebuilt
  --json FILE      write all figures, query by query
  --html FILE      write the report as one HTML page with charts; it needs no network`

function positive(name: string, value: string): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number) || number < 1)
    throw new RangeError(`--${name} must be a whole number of at least 1, not "${value}"`)
  return number
}

function chosen<Name extends string>(option: string, list: string, known: readonly Name[]): Name[] {
  const names = list.split(',').filter(name => name !== '')
  const unknown = names.find(name => !known.includes(name as Name))
  if (unknown !== undefined) throw new RangeError(`--${option}: unknown name "${unknown}"; use ${known.join(', ')}`)
  return known.filter(name => names.includes(name))
}

/** Parses the options; returns undefined for `--help`. */
export function readSpeedOptions(args: string[]): SpeedOptions | undefined {
  const { values } = parseArgs({
    args,
    options: {
      pages: { type: 'string' },
      real: { type: 'string' },
      versions: { type: 'boolean', default: false },
      engines: { type: 'string' },
      'rival-pages': { type: 'string', default: '100000' },
      lanes: { type: 'string' },
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
  if (values.keep && values.dir === undefined) throw new RangeError('--keep requires --dir, the folder to keep')
  const { versions, real } = values
  if (versions && real !== undefined) throw new RangeError('--versions generates its pages; leave out --real')
  const engines = chosen('engines', values.engines ?? (versions ? 'asof' : engineNames.join(',')), engineNames)
  if (versions && engines.some(name => name !== 'asof'))
    throw new RangeError('--versions measures asof alone, because other engines would find superseded captures')
  const allLanes = versions ? versionLanes : laneAndStudyNames
  const measured = chosen('lanes', values.lanes ?? allLanes.join(','), laneAndStudyNames)
  const searchThreads = values['search-threads'] === 'default' ? undefined : Number(values['search-threads'])
  const htmlFrom = values['html-from'] ?? (existsSync(fixtures) ? fixtures : undefined)
  const sizes = values.pages?.split(',').map(size => positive('pages', size))
  return {
    sizes: sizes ?? (versions ? VERSIONED_SIZES : [real === undefined ? 100_000 : Number.MAX_SAFE_INTEGER]),
    rivalPages: positive('rival-pages', values['rival-pages']),
    seed: positive('seed', values.seed),
    realPath: real,
    versions,
    engines,
    lanes: laneNames.filter(name => measured.includes(name)),
    studies: studyNames.filter(name => measured.includes(name)),
    searchThreads,
    htmlFrom,
    queries: positive('queries', values.queries),
    rounds: positive('rounds', values.rounds),
    batch: positive('batch', values.batch),
    dir: values.dir,
    keep: values.keep,
    reindex: chosen('reindex', values.reindex, engineNames),
    jsonPath: values.json,
    htmlPath: values.html,
  }
}
