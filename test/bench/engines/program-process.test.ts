import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { PageFileWriter } from '../../../bench/apparatus/page-file.ts'
import { wordsOf } from '../../../bench/apparatus/survey.ts'
import { defaultCorpus, SyntheticCorpus } from '../../../bench/apparatus/synthetic.ts'
import type { EngineProcess } from '../../../bench/engines/engine-process.ts'
import { compileLucene, luceneJars } from '../../../bench/engines/lucene-program.ts'
import { cellsOf, type EngineProgram, LineProgram, programContender } from '../../../bench/engines/program-process.ts'
import { buildRust, type RustEngine, rustBinary } from '../../../bench/engines/rust-program.ts'
import type { Contents, Question } from '../../../bench/questions/question.ts'

describe('a program of an engine', () => {
  const echo = `require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
    if (line === 'open\\tend') process.exit()
    console.log(JSON.stringify(line.split('\\t')))
  })`
  const start = () =>
    programContender('lucene', { command: process.execPath, args: ['-e', echo], settings: '' }).start()

  it('receives a question as cells, with the instant as the end of the window of acquisition', async () => {
    const program = await start()
    const question: Question = {
      form: 'or',
      words: ['a', 'b'],
      limit: 10,
      instant: 7,
      published: [1, 2],
      site: 'h.example',
    }
    expect(await program.ask([question])).toEqual(['ask', '1'])
    // The echo of the question is taken for the reply to the next command.
    expect(await program.ask([])).toEqual(['or', '10', 'a b', '', '7', '1', '2', 'h.example', 'ids', '', '', '', '0'])
    await program.stop()
  })

  it('receives the options of fields, sorting and pages as the last cells', async () => {
    const program = await start()
    const listed = { form: 'all', limit: 10, shareBelow: 100, facet: true, newestFirst: true, offset: 990 } as const
    await program.ask([{ ...listed, words: [] }])
    expect(await program.ask([])).toEqual(['all', '10', '', '', '', '', '', '', 'ids', '100', 'facet', 'newest', '990'])
    await program.stop()
  })

  it('fails the command during which it ends', async () => {
    const program = await start()
    await expect(program.open('end', { form: 'or', words: ['a'], limit: 1 })).rejects.toThrow(
      'the process of lucene ended',
    )
    await program.stop()
  })
})

it('leaves out an engine whose tools are not installed', () => {
  vi.stubEnv('PATH', '')
  expect(buildRust('tantivy')).toBeUndefined()
  vi.unstubAllEnvs()
})

const PAGES = 300
const corpus = new SyntheticCorpus({ ...defaultCorpus, pages: PAGES, seed: 7 })
const pages = Array.from({ length: PAGES }, (_, number) => corpus.page(number))
const texts = pages.map(({ title, text }) => wordsOf(`${title} ${text}`))
const words = [...new Set(texts[5])]
const common = [texts[5]![1]!, texts[5]![2]!]

/** A result as the command `show` writes it. */
interface ShownResult {
  url: string
  title: string
  published?: number
  snippet?: string
}

/** All pages that a scan finds. */
const scan = (accepts: (text: string[], number: number) => boolean) =>
  pages.flatMap(({ number }) => (accepts(texts[number]!, number) ? [number] : []))

// Only what `npm run bench -- speed` has fetched and built before is tested: a test uses no network.
const rust = (engine: RustEngine) => () => ({ command: rustBinary(engine), args: [], settings: '' })
const programs: [name: 'lucene' | RustEngine, ready: boolean, program: () => EngineProgram | undefined][] = [
  ['lucene', existsSync(luceneJars), () => compileLucene('Bench')],
  ['tantivy', existsSync(rustBinary('tantivy')), rust('tantivy')],
  ['seekstorm', existsSync(rustBinary('seekstorm')), rust('seekstorm')],
]

describe.each(programs)('the program of %s, if it is built', (name, ready, programOf) => {
  const folder = mkdtempSync(join(tmpdir(), `asof-${name}-`))
  let engine: EngineProcess | undefined
  beforeAll(async () => {
    const program = ready ? programOf() : undefined
    if (!program) return
    const file = new PageFileWriter(join(folder, 'pages.tsv'))
    for (const page of pages) file.write(page)
    file.close()
    mkdirSync(join(folder, 'index'))
    engine = await programContender(name, program).start()
    const { pages: count, indexBytes } = await engine.index(join(folder, 'pages.tsv'), join(folder, 'index'), 100)
    expect(count).toBe(PAGES)
    expect(indexBytes).toBeGreaterThan(0)
    await engine.open(join(folder, 'index'), { form: 'or', words: ['x'], limit: 10 })
  })
  afterAll(async () => {
    await engine?.stop()
    rmSync(folder, { recursive: true })
  })

  const found = async (question: Partial<Question>) => {
    const { found } = await engine!.ask([{ form: 'or', words: common, limit: PAGES, ...question }])
    return found[0]!.map(Number).sort((a, b) => a - b)
  }

  it.runIf(ready)('finds the pages with any word, all words and the phrase of a query', async () => {
    expect(await found({})).toEqual(scan(text => common.some(word => text.includes(word))))
    expect(await found({ form: 'and' })).toEqual(scan(text => common.every(word => text.includes(word))))
    const phrase = scan(text => text.some((word, i) => word === common[0] && text[i + 1] === common[1]))
    expect(phrase).toContain(5)
    // Titles and texts share a field, so a phrase may also reach from one into the other.
    expect(await found({ form: 'phrase' })).toEqual(expect.arrayContaining(phrase))
  })

  it.runIf(ready)('applies the windows and the host of a query', async () => {
    const any = (text: string[]) => common.some(word => text.includes(word))
    const { acquiredAt } = pages[200]!
    expect(await found({ instant: acquiredAt })).toEqual(scan((text, number) => any(text) && number <= 200))
    expect(await found({ acquired: [acquiredAt, acquiredAt] })).toEqual(
      scan((text, number) => any(text) && number === 200),
    )
    const dates = pages.flatMap(({ publishedAt }) => publishedAt ?? []).sort((a, b) => a - b)
    const [from, to] = [dates[50]!, dates[150]!]
    const isPublished = (number: number) => {
      const { publishedAt } = pages[number]!
      return publishedAt !== undefined && publishedAt >= from && publishedAt <= to
    }
    expect(await found({ published: [from, to] })).toEqual(scan((text, number) => any(text) && isPublished(number)))
    const site = new URL(pages[5]!.url).hostname
    const isOfSite = (number: number) => new URL(pages[number]!.url).hostname === site
    expect(await found({ site })).toEqual(scan((text, number) => any(text) && isOfSite(number)))
  })

  it.runIf(ready)('ranks a page first that has all words of a long query, whatever the answer contains', async () => {
    const question: Question = { form: 'or', words: words.slice(0, 40), limit: 10 }
    const { found } = await engine!.ask([
      question,
      { ...question, contents: 'results' },
      { ...question, contents: 'answers' },
    ])
    expect(found[0]![0]).toBe(5)
    expect(found[0]).toHaveLength(10)
    expect(found[1]).toEqual(found[0])
    expect(found[2]).toEqual(found[0])
  })

  it.runIf(ready)('reads URL, title and publish date of each result, and makes a snippet of its text', async () => {
    const program = new LineProgram(name, programOf()!)
    const question: Question = { form: 'or', words: common, limit: 10 }
    await program.request([['open', join(folder, 'index')], cellsOf(question)])
    const show = (contents: Contents) => program.request<ShownResult[]>([['show'], cellsOf({ ...question, contents })])
    const [ids, results, answers] = [await show('ids'), await show('results'), await show('answers')]
    await program.stop()
    expect(ids).toEqual([])
    const { found } = await engine!.ask([question])
    expect(results).toEqual(
      found[0]!.map(number => {
        const { url, title, publishedAt } = pages[Number(number)]!
        return { url, title, published: publishedAt }
      }),
    )
    expect(answers.map(({ snippet, ...result }) => result)).toEqual(results)
    const snippets = answers.map(({ snippet }) => snippet)
    for (const [i, number] of found[0]!.entries()) {
      const { text } = pages[Number(number)]!
      const snippet = snippets[i]!
      const plain = snippet.replace(/<\/?b>/g, '')
      // A snippet of SeekStorm has only the sentences with the words.
      const passages = name === 'seekstorm' ? plain.split('...') : [plain]
      for (const passage of passages) expect(text).toContain(passage.trim())
      expect(plain.length).toBeGreaterThan(name === 'seekstorm' ? 20 : Math.min(text.length, 600) / 2)
      expect(plain.length).toBeLessThan(900)
      const marked = [...snippet.matchAll(/<b>(.+?)<\/b>/g)].map(([, word]) => word!.toLowerCase())
      expect(marked.length > 0).toBe(wordsOf(text).some(word => common.includes(word)))
      expect(common).toEqual(expect.arrayContaining(marked))
    }
  })

  it.runIf(ready)('answers with two threads at a time', async () => {
    const { answered } = await engine!.flood(2, 50, [{ form: 'or', words: common, limit: 10, contents: 'answers' }])
    expect(answered).toBeGreaterThan(0)
  })
})
