import { parseArgs } from 'node:util'
import { machine } from '../apparatus/machine.ts'
import { defaultCorpus } from '../apparatus/synthetic.ts'
import { datedEngines, leakEngine } from './asked-engines.ts'
import { docHistory } from './doc-history.ts'
import { generatedDocs } from './generated-docs.ts'
import { gitDocs } from './git-docs.ts'
import { leakReport } from './leak-report.ts'
import { type LeakRow, measureLeaks } from './measure-leaks.ts'

const help = `npm run bench -- leaks [options]

Indexes all versions of pages, asks as of past instants, and compares each answer with that of an index built at the instant: how much
of the future is in it? Prints a table in Markdown; docs/time-travel.md has one.

  --git DIR         the histories of the text files of this git repository, instead of generated ones; can be repeated
  --pages N         number of generated pages (600)
  --instants N      number of past instants (5)
  --questions N     number of questions as of each instant (200)
  --engines A,B     engines (${datedEngines.join(',')})
  --seed N          seed of the pages and the questions (${defaultCorpus.seed})`

/** The suite `leaks`: measures how much pages that came later change answers about the past. */
export async function leaks(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      git: { type: 'string', multiple: true },
      pages: { type: 'string', default: '600' },
      instants: { type: 'string', default: '5' },
      questions: { type: 'string', default: '200' },
      engines: { type: 'string', default: datedEngines.join(',') },
      seed: { type: 'string', default: String(defaultCorpus.seed) },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(help)
  const wanted = values.engines.split(',')
  const unknown = wanted.find(name => !datedEngines.some(known => known === name))
  if (unknown !== undefined)
    throw new RangeError(`--engines: unknown name "${unknown}"; use ${datedEngines.join(', ')}`)
  const seed = Number(values.seed)
  const pages = wholeNumber('pages', values.pages)
  const instants = wholeNumber('instants', values.instants)
  const questions = wholeNumber('questions', values.questions)
  const history = docHistory(values.git?.flatMap(gitDocs) ?? generatedDocs(pages, seed))
  const rows: LeakRow[] = []
  for (const name of datedEngines.filter(name => wanted.includes(name))) {
    const engine = await leakEngine(name)
    if (!engine) continue
    console.error(`… ${name}`)
    rows.push(...(await measureLeaks(engine, history, { instants, questions, seed })))
  }
  console.log(
    leakReport(history, rows, {
      command: `npm run bench -- leaks ${args.join(' ')}`.trim(),
      machine: machine(),
      instants,
      questions,
    }),
  )
}

function wholeNumber(option: string, value: string): number {
  if (!/^[1-9]\d*$/.test(value))
    throw new RangeError(`--${option} must be a whole number of at least 1, not "${value}"`)
  return Number(value)
}
