import { fork } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Job, Outcome } from './child.ts'
import { type EngineName, engineNames, loadEngine } from './engine.ts'
import { drawQueries, frequencyBands } from './queries.ts'
import { count, machine, megabytes, milliseconds, table } from './report.ts'
import { defaultCorpus, SyntheticCorpus, surveyCorpus } from './synthetic.ts'

const help = `npm run bench -- index [options]

Indexes generated pages in asof, MiniSearch and FlexSearch, each in its own process, then searches them.

  --pages N       pages to generate (${defaultCorpus.pages})
  --seed N        seed of the corpus and the queries (${defaultCorpus.seed})
  --batch N       pages an add call takes (5000)
  --queries N     queries a round (500)
  --rounds N      timed rounds after the warm-up (3)
  --engines A,B   which engines (${engineNames.join(',')})
  --dir DIR       where the indexes are built (a temporary folder, removed afterwards)
  --json          one JSON document instead of the tables`

function positive(name: string, value: string | undefined, preset: number): number {
  const number = Number(value ?? preset)
  if (!Number.isSafeInteger(number) || number < 1) throw new RangeError(`--${name} takes a whole number above 0`)
  return number
}

function chosenEngines(list: string | undefined): EngineName[] {
  const names = list?.split(',') ?? [...engineNames]
  const unknown = names.find(name => !engineNames.includes(name as EngineName))
  if (unknown !== undefined) throw new RangeError(`--engines knows ${engineNames.join(', ')}, not ${unknown}`)
  return names as EngineName[]
}

/** Runs one job in a process of its own and returns what it measured. */
function measure(job: Job): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = fork(new URL('./child.ts', import.meta.url), {
      execArgv: ['--expose-gc', '--max-old-space-size=8192'],
    })
    let outcome: Outcome | undefined
    child.once('message', message => {
      outcome = message as Outcome
    })
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      if (outcome && code === 0) resolve(outcome)
      else reject(new Error(`the ${job.engine} process ended with ${signal ?? code}`))
    })
    child.send(job)
  })
}

/** One engine from an empty folder to its last query. */
async function measureEngine(
  job: Omit<Job, 'phases' | 'lanes' | 'rounds'>,
  roundsOf: (lane: number) => string[][],
): Promise<Outcome> {
  const { persistent, lanes } = await loadEngine(job.engine)
  const questions = { lanes: [...lanes], rounds: lanes.map((_, lane) => roundsOf(lane)) }
  if (!persistent) return await measure({ ...job, ...questions, phases: ['index', 'search'] })
  const indexed = await measure({ ...job, lanes: [], rounds: [], phases: ['index'] })
  const searched = await measure({ ...job, ...questions, phases: ['search'] })
  return { ...searched, ...(indexed.index && { index: indexed.index }) }
}

/** The suite `index`: speed of indexing, size, memory and latency on generated pages. */
export async function indexSpeed(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      pages: { type: 'string' },
      seed: { type: 'string' },
      batch: { type: 'string' },
      queries: { type: 'string' },
      rounds: { type: 'string' },
      engines: { type: 'string' },
      dir: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(help)
    return
  }
  const settings = {
    ...defaultCorpus,
    pages: positive('pages', values.pages, defaultCorpus.pages),
    seed: positive('seed', values.seed, defaultCorpus.seed),
  }
  const batch = positive('batch', values.batch, 5_000)
  const queries = positive('queries', values.queries, 500)
  const timedRounds = positive('rounds', values.rounds, 3)
  const engines = chosenEngines(values.engines)
  const say = (text: string) => {
    if (!values.json) console.log(text)
  }

  const corpus = new SyntheticCorpus(settings)
  const { words, bytes, distinct, documentFrequency } = surveyCorpus(corpus)
  const bands = frequencyBands(documentFrequency, settings.pages)
  const roundsOf = (lane: number) =>
    Array.from({ length: timedRounds + 1 }, (_, round) =>
      drawQueries(bands, queries, settings.seed + lane * (timedRounds + 1) + round),
    )
  const here = machine()
  say(
    `corpus   ${count(settings.pages)} generated pages, ${count(words)} words (mean ${count(words / settings.pages)}),`,
  )
  say(`         ${count(distinct)} distinct, ${megabytes(bytes)} MB of text, seed ${settings.seed}`)
  say(`queries  ${timedRounds} rounds of ${queries}, 2 to 4 words over four frequency bands, each set asked once,`)
  say(
    `         after ${queries} to warm up; from query text to the ids of ten results; for example "${roundsOf(0)[1][0]}"`,
  )
  say(`adding   ${count(batch)} pages a call; the making of the pages is not timed`)
  say(
    `machine  ${here.processor}, ${here.cores} cores, ${count(here.memoryBytes / 1e9)} GB; ${here.system}; Node ${here.node}`,
  )

  const root = values.dir ?? mkdtempSync(join(tmpdir(), 'asof-bench-'))
  const outcomes: { engine: EngineName; outcome: Outcome }[] = []
  try {
    for (const engine of engines) {
      const folder = join(root, engine)
      mkdirSync(folder, { recursive: true })
      const outcome = await measureEngine({ engine, folder, corpus: settings, batch }, roundsOf)
      say(`         ${outcome.settings}`)
      outcomes.push({ engine, outcome })
    }
  } finally {
    if (values.dir === undefined) rmSync(root, { recursive: true, force: true })
  }

  if (values.json) {
    const corpusFacts = { ...settings, words, bytes, distinct }
    console.log(
      JSON.stringify(
        { suite: 'index', machine: here, corpus: corpusFacts, batch, queries, rounds: timedRounds, outcomes },
        null,
        2,
      ),
    )
    return
  }
  console.log()
  console.log(
    table(
      ['indexing', 'pages/s', 'slowest–fastest batch', 'disk MB', 'resident MB', 'peak MB', 'serving MB'],
      outcomes.map(({ engine, outcome: { index, diskBytes, servingBytes } }) => [
        engine,
        count(index!.pagesPerSecond),
        `${count(index!.slowest)}–${count(index!.fastest)}`,
        megabytes(diskBytes),
        megabytes(index!.residentBytes),
        megabytes(index!.peakBytes),
        megabytes(servingBytes!),
      ]),
    ),
  )
  console.log()
  console.log(
    table(
      ['searching, ms', 'p50', 'p95', 'max', 'p50 of rounds', 'results'],
      outcomes.flatMap(({ engine, outcome }) =>
        outcome.search.map(({ lane, p50Ms, p95Ms, maxMs, p50SpreadMs, found }) => [
          `${engine}, ${lane}`,
          milliseconds(p50Ms),
          milliseconds(p95Ms),
          milliseconds(maxMs),
          p50SpreadMs.map(milliseconds).join('–'),
          found.toFixed(1),
        ]),
      ),
    ),
  )
  console.log('\nDisk: asof with stored text and positions; the rivals their exported index alone, without text.')
}
