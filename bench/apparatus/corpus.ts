import { createReadStream, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import { plainText } from '../../core/text/markdown/plain-text.ts'
import { type BenchPage, PageFileWriter } from './page-file.ts'
import { type Random, seededRandom } from './random.ts'
import { type Survey, Surveyor } from './survey.ts'
import { acquiredAtOf, defaultCorpus, drawPublishedAt, SyntheticCorpus } from './synthetic.ts'
import { syntheticHistory } from './synthetic-history.ts'

/**
 * The pages to measure on: generated pages, all captures of generated pages, or the first N pages of a file of real ones. If the file has fewer,
 * edited copies of its pages follow.
 */
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

/** The number of pages that means all of a file. */
const ALL = Number.MAX_SAFE_INTEGER
/** Maximum number of pages whose words are counted, except of a whole file. */
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
  const surveyor = new Surveyor(choice.seed, choice.pages === ALL ? 1 : Math.ceil(choice.pages / MAX_COUNTED))
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
  for await (const line of linesOf(path)) if (line.trim() !== '') known++
  if (known === 0) throw new RangeError(`${path} has no pages`)
  const pages = most === ALL ? known : most
  const random = seededRandom(pages, 0xda)
  const editor = new PageEditor(seededRandom(pages, 0xed))
  const seen = new Set<string>()
  let number = 0
  for (let copy = 0; number < pages && (copy === 0 || most !== ALL); copy++)
    for await (const line of linesOf(path)) {
      if (line.trim() === '') continue
      const { url: ofPage, title = '', text, markdown, published_at } = JSON.parse(line) as RealLine
      const acquiredAt = acquiredAtOf(number, pages)
      const publishedAt = published_at === undefined ? drawPublishedAt(acquiredAt, random) : Date.parse(published_at)
      const url = copy === 0 ? ofPage : `${ofPage}?copy=${copy}`
      if (seen.has(url)) continue
      seen.add(url)
      const original = text ?? plainText(markdown ?? '')
      yield {
        number,
        url,
        title,
        text: copy === 0 ? editor.read(original) : editor.edited(original),
        publishedAt,
        acquiredAt,
      }
      if (++number === pages) return
    }
}

/** Share of the lines of a page that its copies replace. */
const EDITED_SHARE = 0.2
/** Number of lines from which a copy takes its own. */
const KNOWN_LINES = 10_000

/** Edits copies of pages, so that each differs: replaces some lines by lines of other pages. */
class PageEditor {
  readonly #random: Random
  readonly #lines: string[] = []
  #read = 0

  constructor(random: Random) {
    this.#random = random
  }

  /** Remembers the lines of a page. Returns the page. */
  read(text: string): string {
    for (const line of text.split('\n')) if (line !== '') this.#lines[this.#read++ % KNOWN_LINES] = line
    return text
  }

  edited(text: string): string {
    const lines = text.split('\n').map(line => {
      return line === '' || this.#random.next() >= EDITED_SHARE
        ? line
        : this.#lines[this.#random.below(this.#lines.length)]!
    })
    this.read(text)
    return lines.join('\n')
  }
}
