import { createReadStream, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import { plainText } from '../../core/text/markdown/plain-text.ts'
import { type BenchPage, PageFileWriter } from './page-file.ts'
import { seededRandom } from './random.ts'
import { type Survey, Surveyor } from './survey.ts'
import { acquiredAtOf, defaultCorpus, drawPublishedAt, SyntheticCorpus } from './synthetic.ts'
import { syntheticHistory } from './synthetic-history.ts'

/** The pages to measure on: generated pages, all captures of generated pages, or the first N pages of a file of real ones. */
export interface CorpusChoice {
  pages: number
  seed: number
  /** Mean number of words in a generated page. Default 300. */
  meanWords?: number
  /** True for all captures of generated pages that change. */
  versions?: boolean
  /** File of JSON lines with `url`, `title`, `text` or `markdown`, and optionally `published_at`; plain or `.gz`. */
  realPath?: string
}

export interface Corpus {
  choice: CorpusChoice
  /** Description for the report. */
  about: string
  /** Format of the texts, for an engine that reads Markdown. */
  body: 'markdown' | 'text'
  /** File that `page-file.ts` wrote. */
  pagesPath: string
  survey: Survey
}

/** Maximum number of generated pages whose words are counted. */
const MAX_COUNTED = 150_000

/** Writes the pages and their statistics to a folder. Reuses the files of an earlier run with the same choice. */
export async function prepareCorpus(folder: string, choice: CorpusChoice): Promise<Corpus> {
  const pagesPath = join(folder, 'pages.tsv')
  const notePath = join(folder, 'corpus.json')
  const key = JSON.stringify(choice)
  if (existsSync(notePath)) {
    const note = JSON.parse(readFileSync(notePath, 'utf8')) as Omit<Corpus, 'pagesPath'> & { key: string }
    if (note.key === key) return { ...note, pagesPath }
  }
  mkdirSync(folder, { recursive: true })
  const writer = new PageFileWriter(pagesPath)
  const surveyor = new Surveyor(choice.seed, choice.realPath === undefined ? Math.ceil(choice.pages / MAX_COUNTED) : 1)
  for await (const page of choice.realPath === undefined ? generated(choice) : real(choice.realPath, choice.pages)) {
    writer.write(page)
    surveyor.read(page)
  }
  writer.close()
  const survey = surveyor.survey()
  const body = choice.realPath === undefined ? 'markdown' : 'text'
  const about =
    choice.realPath === undefined
      ? `${choice.versions ? `captures of ${choice.pages.toLocaleString('en')} ` : ''}generated pages, Zipf words of a vocabulary of ${defaultCorpus.vocabulary.toLocaleString('en')}, log-normal lengths, seed ${choice.seed}`
      : `real pages of ${basename(choice.realPath)}; those without a publish date have one drawn`
  writeFileSync(notePath, JSON.stringify({ key, choice, about, body, survey }))
  return { choice, about, body, pagesPath, survey }
}

function* generated(choice: CorpusChoice): Generator<BenchPage> {
  const { pages, seed, meanWords = defaultCorpus.meanWords, versions } = choice
  const settings = { ...defaultCorpus, pages, seed, meanWords }
  if (versions) return yield* syntheticHistory(settings)
  const corpus = new SyntheticCorpus(settings)
  for (let number = 0; number < pages; number++) yield corpus.page(number)
}

interface RealLine {
  url: string
  title?: string
  text?: string
  markdown?: string
  published_at?: string
}

const linesOf = (path: string) => {
  const file = createReadStream(path)
  return createInterface({ input: path.endsWith('.gz') ? file.pipe(createGunzip()) : file })
}

async function* real(path: string, most: number): AsyncGenerator<BenchPage> {
  let known = 0
  for await (const _ of linesOf(path)) known++
  const pages = Math.min(known, most)
  const random = seededRandom(pages, 0xda)
  const seen = new Set<string>()
  let number = 0
  for await (const line of linesOf(path)) {
    if (line.trim() === '') continue
    const { url, title = '', text, markdown, published_at } = JSON.parse(line) as RealLine
    const acquiredAt = acquiredAtOf(number, pages)
    const publishedAt = published_at === undefined ? drawPublishedAt(acquiredAt, random) : Date.parse(published_at)
    if (seen.has(url)) continue
    seen.add(url)
    yield {
      number,
      url,
      title,
      text: text ?? plainText(markdown ?? ''),
      publishedAt,
      acquiredAt,
    }
    if (++number === pages) return
  }
}
