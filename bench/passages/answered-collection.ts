import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchPage } from '../apparatus/page-file.ts'
import { type JudgedCollection, readCollection } from '../quality/judged-collection.ts'

/** A question, and how to tell whether a text answers it. */
export interface AnsweredQuestion {
  text: string
  /** The URLs of the pages that have the answer. */
  urls: ReadonlySet<string>
  /** True if a text of one of these pages has the answer. */
  isAnsweredBy: (text: string) => boolean
}

/** Pages, and questions that they answer. */
export interface AnsweredCollection {
  name: string
  /** What shows that a question was answered. */
  by: 'answer' | 'relevant text'
  pages: BenchPage[]
  questions: AnsweredQuestion[]
}

/** Share of the distinct words of a relevant document that a text must have, if the collection does not say which words are the answer. */
const WORDS_SHARE = 0.8

/** XQuAD (Artetxe et al., 2020): the question with an id, and its answers. */
interface XquadFile {
  data: { paragraphs: { qas: { id: string; answers: { text: string }[] }[] }[] }[]
}

/**
 * Reads a judged collection, twice: its documents as pages, and joined to the longer pages that they are parts of.
 *
 * @param answers - the folder that has the files of XQuAD, such as `xquad.en.json`. Without it no answers are known.
 */
export async function readAnswered(folder: string, answers: string | undefined): Promise<AnsweredCollection[]> {
  const collection = await readCollection(folder)
  const { name, pages } = collection
  const known = answersOf(name, answers)
  const by = known ? 'answer' : 'relevant text'
  const whole = { name, by, pages, questions: questionsOf(collection, known, pages) } as const
  const parts = partsOf(collection)
  if (!parts) return [whole]
  const { long, pageOf } = joined(pages, parts)
  return [whole, { name: `${name}, joined`, by, pages: long, questions: questionsOf(collection, known, pageOf) }]
}

/** Returns the answers of questions by id, for a collection of XQuAD. */
function answersOf(name: string, folder: string | undefined): ReadonlyMap<string, string[]> | undefined {
  const language = /^xquad-(\w+)$/.exec(name)?.[1]
  if (language === undefined || folder === undefined) return undefined
  const { data } = JSON.parse(readFileSync(join(folder, `xquad.${language}.json`), 'utf8')) as XquadFile
  const questions = data.flatMap(({ paragraphs }) => paragraphs.flatMap(({ qas }) => qas))
  return new Map(questions.map(({ id, answers }) => [id, answers.map(({ text }) => text)]))
}

/** @param pageOf - the page that has each document of the collection. */
function questionsOf(
  { pages, ids, queries }: JudgedCollection,
  known: ReadonlyMap<string, string[]> | undefined,
  pageOf: readonly BenchPage[],
): AnsweredQuestion[] {
  const numberOf = new Map(ids.map((id, number) => [id, number]))
  return queries.flatMap(({ id, text, grades }): AnsweredQuestion[] => {
    const most = Math.max(...grades.values())
    const best = [...grades].flatMap(([document, grade]) => (grade === most ? (numberOf.get(document) ?? []) : []))
    if (most <= 0 || best.length === 0) return []
    const urls = new Set(best.map(number => pageOf[number]!.url))
    const answers = known?.get(id)?.map(comparable)
    if (answers)
      return [{ text, urls, isAnsweredBy: shown => answers.some(answer => comparable(shown).includes(answer)) }]
    const words = best.map(number => wordsOf(pages[number]!.text))
    return [{ text, urls, isAnsweredBy: shown => hasWordsOf(wordsOf(shown), words) }]
  })
}

/** Returns the text without differences that no reader sees. */
function comparable(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\\*_`#>|]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}

function wordsOf(text: string): Set<string> {
  return new Set(
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu),
  )
}

function hasWordsOf(shown: ReadonlySet<string>, documents: readonly ReadonlySet<string>[]): boolean {
  return documents.some(words => {
    let common = 0
    for (const word of words) if (shown.has(word)) common++
    return common >= WORDS_SHARE * words.size
  })
}

/**
 * Returns for each document the page that it is a part of, by the id: `12-3` is the fourth answer of thread 12, and `p17` is paragraph 17,
 * five of which are an article of XQuAD. Undefined if the documents are pages.
 */
function partsOf({ name, ids }: JudgedCollection): string[] | undefined {
  if (name.startsWith('xquad-')) return ids.map(id => `article-${Math.floor(Number(id.slice(1)) / 5)}`)
  if (name === 'stackfaq') return ids.map(id => `thread-${id.split('-', 1)[0]}`)
  return undefined
}

/** Joins the documents of each page, with an empty line between them. */
function joined(
  pages: readonly BenchPage[],
  parts: readonly string[],
): { long: BenchPage[]; pageOf: readonly BenchPage[] } {
  const byPart = new Map<string, BenchPage>()
  const pageOf = parts.map((part, number) => {
    const known = byPart.get(part)
    if (known) {
      known.text += `\n\n${pages[number]!.text}`
      return known
    }
    const page = { ...pages[number]!, number: byPart.size }
    byPart.set(part, page)
    return page
  })
  return { long: [...byPart.values()], pageOf }
}
