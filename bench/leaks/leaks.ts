import { parseArgs } from 'node:util'
import { machine } from '../apparatus/machine.ts'
import { defaultCorpus } from '../apparatus/synthetic.ts'
import { leakEngineNames, leakEngines } from './asked-engines.ts'
import { docHistory } from './doc-history.ts'
import { generatedDocs } from './generated-docs.ts'
import { gitDocs } from './git-docs.ts'
import { leakReport } from './leak-report.ts'
import { type LeakRow, measureLeaks } from './measure-leaks.ts'

const help = `npm run bench -- leaks [options]

Indexes all versions of pages, asks as of past instants, and compares each answer with that of the same index before the later versions
came, and with that of an index of only what stood at the instant. Prints tables in Markdown; docs/time-travel.md has one. Fetches
LanceDB with npm (200 MB) on the first run.

  --git DIR         the histories of the text files of this git repository, instead of generated ones; can be repeated
  --pages N         number of generated pages (600)
  --commits N       number of instants at which an engine is given the changes until then (1000)
  --instants N      number of these that are asked as of (5)
  --questions N     number of questions as of each instant (200)
  --small           60 pages, 30 commits, 2 instants and 40 questions, unless given
  --engines A,B     engines (${leakEngineNames.join(',')})
  --seed N          seed of the pages and the questions (${defaultCorpus.seed})`

/** The suite `leaks`: measures how much pages that came later change answers about the past. */
export async function leaks(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      git: { type: 'string', multiple: true },
      pages: { type: 'string' },
      commits: { type: 'string' },
      instants: { type: 'string' },
      questions: { type: 'string' },
      small: { type: 'boolean', default: false },
      engines: { type: 'string', default: leakEngineNames.join(',') },
      seed: { type: 'string', default: String(defaultCorpus.seed) },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(help)
  const wanted = values.engines.split(',')
  const unknown = wanted.find(name => !leakEngineNames.some(known => known === name))
  if (unknown !== undefined)
    throw new RangeError(`--engines: unknown name "${unknown}"; use ${leakEngineNames.join(', ')}`)
  const seed = Number(values.seed)
  const numberOf = (option: 'pages' | 'commits' | 'instants' | 'questions', large: number, small: number) =>
    wholeNumber(option, values[option] ?? String(values.small ? small : large))
  const pages = numberOf('pages', 600, 60)
  const commits = numberOf('commits', 1_000, 30)
  const instants = numberOf('instants', 5, 2)
  const questions = numberOf('questions', 200, 40)
  const history = docHistory(values.git?.flatMap(gitDocs) ?? generatedDocs(pages, seed))
  const run = { commits, instants, questions, seed }
  const rows: LeakRow[] = []
  for (const name of leakEngineNames.filter(name => wanted.includes(name)))
    for (const engine of await leakEngines(name)) {
      console.error(`… ${engine.name}`)
      rows.push(...(await measureLeaks(engine, history, run)))
    }
  console.log(
    leakReport(history, rows, {
      command: `npm run bench -- leaks ${args.join(' ')}`.trim(),
      machine: machine(),
      run,
    }),
  )
}

function wholeNumber(option: string, value: string): number {
  if (!/^[1-9]\d*$/.test(value))
    throw new RangeError(`--${option} must be a whole number of at least 1, not "${value}"`)
  return Number(value)
}
