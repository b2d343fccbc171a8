import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { machine } from '../apparatus/machine.ts'
import { percentile, sorted } from '../apparatus/percentiles.ts'
import { count, milliseconds, table } from '../apparatus/text-table.ts'
import { drawPhrases, type TypedPhrase, typedPart } from './half-typed.ts'
import { readmeSections } from './readme-sections.ts'
import { type TypedEngine, typedEngines } from './typed-engines.ts'

const help = `npm run bench -- typed [FOLDER...] [options]

Types headings of README files and looks for their sections after each letter of the last word. A heading is typed only if one section alone
has it: that one is the right answer. Success is the share of queries whose right answer is among the first three results.

  FOLDER...        folders with README.md files (node_modules and bench/node_modules)
  --sections N     maximum number of sections (5000)
  --queries N      number of headings to type (300)
  --engines LIST   ${Object.keys(typedEngines).join(',')} (all)
  --seed N         seed of the headings (1)
  --json FILE      write all figures`

const FIRST = 3
const MAX_LETTERS = 12

interface Lane {
  name: string
  settings: string
  /** By the number of typed letters, the number of queries, and of those whose first results had the wanted section. */
  byLetters: Map<number, { queries: number; successes: number }>
  ms: number[]
}

/** The suite `typed`: success of half-typed queries, beside other engines. */
export async function typed(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      sections: { type: 'string', default: '5000' },
      queries: { type: 'string', default: '300' },
      engines: { type: 'string', default: Object.keys(typedEngines).join(',') },
      seed: { type: 'string', default: '1' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(help)
    return
  }
  const folders = positionals.length > 0 ? positionals : ['node_modules', 'bench/node_modules']
  const sections = readmeSections(folders, Number(values.sections))
  const phrases = drawPhrases(sections, Number(values.queries), Number(values.seed))
  const lanes: Lane[] = []
  for (const name of values.engines.split(',')) {
    const open = typedEngines[name]
    if (!open) throw new Error(`unknown engine ${name}; known: ${Object.keys(typedEngines).join(', ')}`)
    const engine = await open(sections)
    lanes.push(await measure(name, engine, phrases))
    await engine.close()
  }
  const about = { sections: sections.length, phrases: phrases.length }
  console.log(reportOf(about, lanes))
  if (values.json === undefined) return
  const figures = lanes.map(lane => ({ ...lane, byLetters: Object.fromEntries(lane.byLetters) }))
  writeFileSync(values.json, JSON.stringify({ machine: machine(), ...about, lanes: figures }))
}

async function measure(name: string, engine: TypedEngine, phrases: readonly TypedPhrase[]): Promise<Lane> {
  const lane: Lane = { name, settings: engine.settings, byLetters: new Map(), ms: [] }
  for (let letters = 2; letters <= MAX_LETTERS; letters++) {
    const figures = { queries: 0, successes: 0 }
    for (const { phrase, url } of phrases) {
      const text = typedPart(phrase, letters)
      if (text === undefined) continue
      const beganMs = performance.now()
      const found = await engine.search(text, FIRST)
      lane.ms.push(performance.now() - beganMs)
      figures.queries++
      if (found.includes(url)) figures.successes++
    }
    if (figures.queries > 0) lane.byLetters.set(letters, figures)
  }
  return lane
}

function reportOf(about: { sections: number; phrases: number }, lanes: readonly Lane[]): string {
  const { processor, cores, node, commit } = machine()
  const lengths = [...(lanes[0]?.byLetters.keys() ?? [])]
  const rows = lanes.map(({ name, byLetters, ms }) => [
    name,
    ...[...byLetters.values()].map(({ queries, successes }) => `${((100 * successes) / queries).toFixed(1)}`),
    milliseconds(percentile(sorted(ms), 0.5)),
    milliseconds(percentile(sorted(ms), 0.95)),
  ])
  const queries = lengths.map(letters => count(lanes[0]?.byLetters.get(letters)?.queries ?? 0))
  return [
    `${count(about.sections)} sections of README files, ${count(about.phrases)} headings; success@${FIRST} in %`,
    `${processor}, ${cores} cores, Node ${node}, asof ${commit}`,
    '',
    table(
      ['letters of the last word', ...lengths.map(String), 'p50', 'p95'],
      [...rows, ['queries', ...queries, '', '']],
    ),
    '',
    ...lanes.map(({ settings }) => `- ${settings}`),
  ].join('\n')
}
