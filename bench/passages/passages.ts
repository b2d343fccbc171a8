import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Engine, open } from '@asof/core'
import { plainQuery } from '../../service/evaluate/plain-query.ts'
import { machine } from '../apparatus/machine.ts'
import { percentile, sorted } from '../apparatus/percentiles.ts'
import { count, milliseconds } from '../apparatus/text-table.ts'
import { isCollection } from '../quality/judged-collection.ts'
import { type AnsweredCollection, type AnsweredQuestion, readAnswered } from './answered-collection.ts'
import { halves, isAnswered, type ShownBy, waysToShow } from './shown-answers.ts'

const help = `npm run bench -- passages [options] [folder…]

Asks the questions of judged collections in the BEIR layout, and counts for how many of them the answer is in what is shown: in ten
snippets, in the passages within a number of tokens, in the first whole texts within the same number, and in all of the first 10 and 20
pages, which no passages of these pages can exceed. If the answer to a question is not known, it is 80 % of the words of a document with
the highest grade. The questions are split into two halves by chance, with a table for each: parameters can be fitted to the second half and
measured on the first. So far none was fitted.
Default: xquad-en, xquad-de, xquad-ru, msmarco-mini and stackfaq in ../shared/corpora.

  --answers DIR   the files of XQuAD (xquad.en.json and so on), which have the answers (none)
  --tokens N      tokens of the passages (2000)
  --questions N   maximum number of questions of a collection (all)
  --rounds N      rounds in which latencies are measured; the best of each question counts (3)
  --seed N        seed of the halves (1)
  --out FILE      writes the tables to this file`

/** Default folder of judged collections, beside the checkout; it need not exist. */
const collections = join(import.meta.dirname, '..', '..', '..', 'shared', 'corpora')
const defaults = ['xquad-en', 'xquad-de', 'xquad-ru', 'msmarco-mini', 'stackfaq']

/** The suite `passages`: measures how often what is shown has the answer. */
export async function passages(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      answers: { type: 'string' },
      tokens: { type: 'string', default: '2000' },
      questions: { type: 'string', default: '1000000' },
      rounds: { type: 'string', default: '3' },
      seed: { type: 'string', default: '1' },
      out: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(help)
  const folders = positionals.length > 0 ? positionals : defaultFolders()
  if (folders.length === 0) throw new Error(`no collection in ${collections}: give the folder of one`)
  const rows: CollectionFigures[] = []
  for (const folder of folders)
    for (const collection of await readAnswered(folder, values.answers)) {
      console.error(`${collection.name}: ${count(collection.questions.length)} questions`)
      const questions = collection.questions.slice(0, Number(values.questions))
      const options = { maxTokens: Number(values.tokens), rounds: Number(values.rounds), seed: Number(values.seed) }
      rows.push(await measureCollection({ ...collection, questions }, options))
    }
  const report = reportOf(rows, Number(values.tokens))
  if (values.out === undefined) console.log(report)
  else writeFileSync(values.out, `${report}\n`)
}

function defaultFolders(): string[] {
  if (!existsSync(collections)) return []
  return readdirSync(collections)
    .filter(name => defaults.includes(name))
    .map(name => join(collections, name))
    .filter(isCollection)
}

interface CollectionFigures {
  name: string
  by: AnsweredCollection['by']
  pages: number
  /** Mean length of a page, UTF-16 units. */
  pageUnits: number
  /** The shares of questions that were answered, of both halves. */
  first: Record<ShownBy, number>
  second: Record<ShownBy, number>
  /** Number of questions of the first half. */
  questions: number
  /** Medians, ms. */
  searchMs: number
  passagesMs: number
}

/** Indexes a collection, and asks its questions. */
export async function measureCollection(
  { name, by, pages, questions }: AnsweredCollection,
  { maxTokens, rounds, seed }: { maxTokens: number; rounds: number; seed: number },
): Promise<CollectionFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'asof-bench-passages-'))
  const engine = await open(folder)
  try {
    await engine.add(pages.map(({ url, title, text, acquiredAt }) => ({ url, title, text, acquiredAt })))
    const { first, second } = halves(questions, seed)
    const shares = async (asked: readonly AnsweredQuestion[]) => sharesOf(engine, asked, maxTokens)
    return {
      name,
      by,
      pages: pages.length,
      pageUnits: pages.reduce((sum, { text }) => sum + text.length, 0) / pages.length,
      first: await shares(first),
      second: await shares(second),
      questions: first.length,
      ...(await latencies(engine, questions, { maxTokens, rounds })),
    }
  } finally {
    await engine.close()
    rmSync(folder, { recursive: true })
  }
}

async function sharesOf(
  engine: Engine,
  questions: readonly AnsweredQuestion[],
  maxTokens: number,
): Promise<Record<ShownBy, number>> {
  const shares = new Map<ShownBy, number>()
  for (const by of waysToShow) {
    let answered = 0
    for (const question of questions) if (await isAnswered(engine, question, by, { maxTokens })) answered++
    shares.set(by, answered / questions.length)
  }
  return Object.fromEntries(shares) as Record<ShownBy, number>
}

/** Measures searches with snippets and passages in turns. The best round of each question counts. */
async function latencies(
  engine: Engine,
  questions: readonly AnsweredQuestion[],
  { maxTokens, rounds }: { maxTokens: number; rounds: number },
): Promise<{ searchMs: number; passagesMs: number }> {
  const asked = questions.slice(0, 400).map(({ text }) => plainQuery(text))
  const best = {
    search: asked.map(() => Number.POSITIVE_INFINITY),
    passages: asked.map(() => Number.POSITIVE_INFINITY),
  }
  for (let round = 0; round < rounds; round++)
    for (const [number, query] of asked.entries()) {
      const began = performance.now()
      await engine.search(query)
      const searched = performance.now()
      await engine.passages(query, { maxTokens })
      const found = performance.now()
      best.search[number] = Math.min(best.search[number]!, searched - began)
      best.passages[number] = Math.min(best.passages[number]!, found - searched)
    }
  return { searchMs: percentile(sorted(best.search), 0.5), passagesMs: percentile(sorted(best.passages), 0.5) }
}

const percent = (share: number) => (100 * share).toFixed(1)

function reportOf(rows: readonly CollectionFigures[], tokens: number): string {
  const { commit, processor, cores, node } = machine()
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const share = (figures: CollectionFigures, half: 'first' | 'second') => [
    figures.name,
    ...waysToShow.map(by => percent(figures[half][by])),
    (100 * (figures[half].passages - figures[half]['ten snippets'])).toFixed(1),
  ]
  const heads = ['Collection', ...waysToShow, 'passages − ten snippets']
  const aligned = line(heads.map((_, column) => (column === 0 ? '---' : '---:')))
  return [
    `Questions whose answer is in what is shown, %, with ${count(tokens)} tokens. The first half of the questions.`,
    [line(heads), aligned, ...rows.map(row => line(share(row, 'first')))].join('\n'),
    'The same, of the second half of the questions.',
    [line(heads), aligned, ...rows.map(row => line(share(row, 'second')))].join('\n'),
    'Collections, and the median time of an answer, ms.',
    [
      line([
        'Collection',
        'pages',
        'mean units',
        'questions, first half',
        'answered if it shows',
        'search',
        'passages',
        'ratio',
      ]),
      line(['---', '---:', '---:', '---:', '---', '---:', '---:', '---:']),
      ...rows.map(row =>
        line([
          row.name,
          count(row.pages),
          count(row.pageUnits),
          count(row.questions),
          row.by === 'answer' ? 'the answer' : '80 % of the words of a relevant text',
          milliseconds(row.searchMs),
          milliseconds(row.passagesMs),
          (row.passagesMs / row.searchMs).toFixed(2),
        ]),
      ),
    ].join('\n'),
    `${processor}, ${cores} cores, Node ${node.slice(1)}, asof ${commit}.`,
  ].join('\n\n')
}
