import { closeSync, createReadStream, openSync, writeSync } from 'node:fs'
import { normalizeUrl } from '../../core/url.ts'

/** One page, as every engine receives it. */
export interface BenchPage {
  number: number
  url: string
  title: string
  text: string
  /** Epoch milliseconds. */
  publishedAt?: number
  /** Epoch milliseconds, ascending with the page number. */
  acquiredAt: number
}

/** The fields of a page, from its number: `share` is spread evenly from 0 to 999, and `group` has ten values. */
export function fieldsOf(number: number): { share: number; group: string } {
  const share = Math.floor((((number * 2_654_435_761) % 2 ** 32) * 1_000) / 2 ** 32)
  return { share, group: `g${share % 10}` }
}

const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }
const plain: Record<string, string> = { '\\\\': '\\', '\\n': '\n', '\\r': '\r', '\\t': '\t' }
const escaped = (text: string) => text.replace(/[\\\n\r\t]/g, character => escapes[character]!)
const unescaped = (text: string) => (text.includes('\\') ? text.replace(/\\[\\nrt]/g, pair => plain[pair]!) : text)

/** Returns the line of a page in a page file, without the line break. */
export const pageLine = ({ number, acquiredAt, publishedAt, url, title, text }: BenchPage): string =>
  [number, acquiredAt, publishedAt ?? '', escaped(url), escaped(title), escaped(text)].join('\t')

const BUFFERED_CHARS = 1 << 20
/** Maximum size of a batch. The memory of the engine is measured while the caller holds a batch, so batches must be small. */
export const MAX_BATCH_CHARS = 16_000_000

/**
 * Writes pages as lines of tab-separated cells: number, acquiredAt, publishedAt (may be empty), url, title, text. An engine in
 * any language can read them without a JSON parser.
 */
export class PageFileWriter {
  readonly #file: number
  #buffered = ''

  constructor(path: string) {
    this.#file = openSync(path, 'w')
  }

  write(page: BenchPage): void {
    this.#buffered += `${pageLine(page)}\n`
    if (this.#buffered.length > BUFFERED_CHARS) this.#flush()
  }

  close(): void {
    this.#flush()
    closeSync(this.#file)
  }

  #flush(): void {
    const bytes = Buffer.from(this.#buffered)
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at)
    this.#buffered = ''
  }
}

/** Reads the pages in file order, in batches of at most `size` pages; a batch ends when it has {@link MAX_BATCH_CHARS}. */
export async function* readPages(path: string, size: number): AsyncGenerator<BenchPage[]> {
  let batch: BenchPage[] = []
  let chars = 0
  let rest = ''
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: BUFFERED_CHARS })) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      batch.push(readPage(line))
      chars += line.length
      if (batch.length < size && chars < MAX_BATCH_CHARS) continue
      yield batch
      batch = []
      chars = 0
    }
  }
  if (batch.length > 0) yield batch
}

/** Returns the number of each page by its URL as asof writes it. */
export async function readPageNumbers(path: string): Promise<Map<string, number>> {
  const numbers = new Map<string, number>()
  for await (const pages of readPages(path, 1_000))
    for (const { number, url } of pages) numbers.set(normalizeUrl(url), number)
  return numbers
}

function readPage(line: string): BenchPage {
  const [number, acquiredAt, publishedAt, url = '', title = '', text = ''] = line.split('\t')
  return {
    number: Number(number),
    url: unescaped(url),
    title: unescaped(title),
    text: unescaped(text),
    acquiredAt: Number(acquiredAt),
    publishedAt: publishedAt === '' ? undefined : Number(publishedAt),
  }
}
