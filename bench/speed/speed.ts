import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareCorpus } from '../apparatus/corpus.ts'
import { machine } from '../apparatus/machine.ts'
import { readPageNumbers } from '../apparatus/page-file.ts'
import { percentile, sorted } from '../apparatus/percentiles.ts'
import { type BuiltIndex, buildIndex, folderBytes } from '../engines/build-index.ts'
import { type EngineName, largeEngines } from '../engines/engine.ts'
import type { Contender } from '../engines/engine-process.ts'
import { compileLucene, howToGetLucene } from '../engines/lucene-program.ts'
import { nodeContender } from '../engines/node-process.ts'
import { programContender } from '../engines/program-process.ts'
import { buildRust, howToGetRust } from '../engines/rust-program.ts'
import { drawQuestions } from '../questions/draw-questions.ts'
import type { LaneName } from '../questions/question.ts'
import { reportPage } from './report/report-page.ts'
import { growthTable, htmlInTable } from './report/report-tables.ts'
import { printSize, printStart, printTable } from './report/report-text.ts'
import type { SizeReport, SpeedReport, StepFigures } from './report/speed-report.ts'
import { readSpeedOptions, type SpeedOptions, speedHelp } from './speed-options.ts'
import { askByTurns, type Serving } from './studies/ask-by-turns.ts'
import { htmlFiles, htmlStudy } from './studies/html-study.ts'
import { mergeStudy } from './studies/merge-study.ts'
import { throughput } from './studies/throughput.ts'

/** The suite `speed`: measures asof and other engines on the same pages and queries, in one run. */
export async function speed(args: string[]): Promise<void> {
  const options = readSpeedOptions(args)
  if (!options) {
    console.log(speedHelp)
    return
  }
  const contenders = await contendersOf(options)
  const root = options.dir ?? mkdtempSync(join(tmpdir(), 'asof-bench-'))
  const report: SpeedReport = {
    command: `npm run bench -- speed ${args.join(' ')}`.trim(),
    machine: machine(),
    queries: options.queries,
    rounds: options.rounds,
    batch: options.batch,
    settings: Object.fromEntries(contenders.map(({ name, settings }) => [name, settings])),
    sizes: [],
  }
  printStart(report)
  try {
    for (const pages of options.sizes) {
      const size = await measureSize(pages, contenders, join(root, sizeName(pages, options)), options)
      report.sizes.push(size)
      printSize(size)
      writeFiles(report, options)
    }
    printTable(growthTable(report))
    if (options.studies.includes('html') && options.htmlFrom !== undefined && options.engines.includes('asof')) {
      say('HTML in')
      const folder = mkdtempSync(join(root, 'html-'))
      report.html = await htmlStudy(htmlFiles(options.htmlFrom), folder)
      rmSync(folder, { recursive: true })
      printTable(htmlInTable(report.html))
      writeFiles(report, options)
    }
  } finally {
    // Deletes only what this run created, in case --dir names a folder with other files.
    const made = options.dir === undefined ? [root] : options.sizes.map(pages => join(root, sizeName(pages, options)))
    if (!options.keep) for (const folder of made) rmSync(folder, { recursive: true, force: true })
  }
}

/** Called after every size, so that an interrupted run keeps its figures. */
function writeFiles(report: SpeedReport, { jsonPath, htmlPath }: SpeedOptions): void {
  if (jsonPath !== undefined) writeFileSync(jsonPath, JSON.stringify(report))
  if (htmlPath !== undefined) writeFileSync(htmlPath, reportPage(report))
}

const sizeName = (pages: number, { realPath, versions }: SpeedOptions) =>
  `${versions ? 'versions' : realPath === undefined ? 'generated' : 'real'}-${pages === Number.MAX_SAFE_INTEGER ? 'all' : pages}`

async function contendersOf({ engines }: SpeedOptions): Promise<Contender[]> {
  const contenders: Contender[] = []
  for (const name of engines) {
    if (name !== 'lucene' && name !== 'tantivy' && name !== 'seekstorm') contenders.push(await nodeContender(name))
    else {
      const program = name === 'lucene' ? compileLucene('Bench') : buildRust(name)
      if (program) contenders.push(programContender(name, program))
      else console.log(name === 'lucene' ? howToGetLucene : howToGetRust(name))
    }
  }
  return contenders
}

async function measureSize(
  pages: number,
  contenders: Contender[],
  folder: string,
  options: SpeedOptions,
): Promise<SizeReport> {
  mkdirSync(folder, { recursive: true })
  const { seed, realPath, versions, queries, rounds, batch } = options
  say(`preparing the pages in ${folder}`)
  const corpus = await prepareCorpus(folder, { pages, seed, realPath, versions })
  const { bands: _, samples: __, publishedAt: ___, acquiredAt: ____, ...facts } = corpus.survey
  const questions = drawQuestions(corpus.survey, {
    count: queries,
    seed,
    source: realPath === undefined ? 'bands' : 'sentences',
  })
  const taking = contenders.filter(({ name }) => mayHold(name, facts.pages, options))
  const built = new Map<EngineName, BuiltIndex>()
  const size: SizeReport = { about: corpus.about, corpus: facts, indexing: [], lanes: [], serving: [] }
  for (const contender of taking) {
    const { name } = contender
    say(`indexing: ${name}`)
    const index = await buildIndex(contender, corpus, folder, { batch, reuse: !options.reindex.includes(name) })
    built.set(name, index)
    size.indexing.push({ engine: name, kept: index.kept, ...index.figures })
  }

  const threads = options.searchThreads === undefined ? {} : { searchThreads: options.searchThreads }
  const serving: Serving[] = []
  try {
    for (const { name, lanes, start } of taking) {
      const { running, folder: place } = built.get(name)!
      const process = running ?? (await start(threads))
      serving.push({ name, process, lanes })
      if (lanes.length === 0) continue
      const { firstAnswerMs } = await process.open(place, questions.or10[0]!)
      size.serving.push({ engine: name, firstAnswerMs: running ? undefined : firstAnswerMs })
    }
    const lanes = options.lanes
      .filter(lane => questions[lane].length > 0)
      .map(lane => ({ lane, questions: questions[lane] }))
    const asked = serving.filter(one => one.lanes.length > 0)
    if (lanes.length > 0) {
      const numbers = asked.length > 1 ? await readPageNumbers(corpus.pagesPath) : new Map<string, number>()
      const numberOf = (id: unknown) => numbers.get(String(id)) ?? Number(id)
      size.lanes = await askByTurns(lanes, asked, rounds, numberOf, round => say(`asking: round ${round} of ${rounds}`))
    }
    for (const { name, process } of asked) {
      const memory = process.memory()
      if (memory) size.serving.find(({ engine }) => engine === name)!.memory = memory
      if (process.explain && name === 'asof' && options.studies.includes('steps')) {
        size.steps = []
        for (const lane of explainedLanes) {
          const rounds: Record<string, number>[][] = []
          for (let round = 0; round < EXPLAINED_ROUNDS; round++) rounds.push(await process.explain(questions[lane]))
          size.steps.push(...stepsOf(lane, fastestOf(rounds)))
        }
      }
    }
  } finally {
    for (const { process } of serving) await process.stop()
  }
  // In-memory engines saved their indexes when they stopped.
  for (const one of size.indexing) one.diskBytes ??= folderBytes(built.get(one.engine)!.folder)

  const placeOf = ({ name }: Contender) => built.get(name)!.folder
  if (options.studies.includes('throughput')) {
    say('throughput')
    const threaded = taking.filter(({ name }) => largeEngines.has(name))
    size.throughput = await throughput(threaded, placeOf, questions, { cores: machine().cores })
  }
  const asof = taking.find(({ name }) => name === 'asof')
  if (asof && options.studies.includes('merge')) {
    say('merging')
    size.merge = await mergeStudy(placeOf(asof), questions.or10)
  }
  return size
}

/** Returns the fastest answer to each query. */
function fastestOf(rounds: Record<string, number>[][]): Record<string, number>[] {
  return (rounds[0] ?? []).map((_, i) =>
    rounds.map(answers => answers[i]!).reduce((a, b) => (b.total! < a.total! ? b : a)),
  )
}

function stepsOf(lane: LaneName, explained: Record<string, number>[]): StepFigures[] {
  // The last step reads the title and the URL of each result, where other engines return ids only.
  const answers = explained.map(
    ({ parse = 0, statistics = 0, topK = 0, snippets = 0, total = 0 }): Record<string, number> => {
      return {
        parse,
        statistics,
        topK,
        'to ids': parse + statistics + topK,
        [lane === 'answers' ? 'snippets' : 'titles']: snippets,
        total,
      }
    },
  )
  const sumOf = (step: string) => answers.reduce((sum, timings) => sum + timings[step]!, 0)
  return Object.keys(answers[0] ?? {}).map(step => {
    const ascending = sorted(answers.map(timings => timings[step]!))
    const share = sumOf(step) / sumOf('total')
    return { lane, step, p50Ms: percentile(ascending, 0.5), p95Ms: percentile(ascending, 0.95), share }
  })
}

/** Lanes whose steps are reported. */
const explainedLanes: readonly LaneName[] = ['or10', 'and', 'phrase', 'answers']
const EXPLAINED_ROUNDS = 3

const mayHold = (engine: EngineName, pages: number, { rivalPages }: SpeedOptions) =>
  largeEngines.has(engine) || pages <= rivalPages

/** Prints progress to standard error; the report goes to standard output. */
function say(text: string): void {
  console.error(`… ${text}`)
}
