import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { BenchPage } from '../apparatus/page-file.ts'
import type { Grades } from './ranking-measures.ts'

/** Documents, queries and who is relevant to which. */
export interface JudgedCollection {
  name: string
  pages: BenchPage[]
  /** Id of each page, by its number. */
  ids: string[]
  queries: JudgedQuery[]
}

export interface JudgedQuery {
  id: string
  text: string
  grades: Grades
}

interface CorpusLine {
  _id: string
  title?: string
  text: string
  url?: string
  published_at?: string
}

/** When the pages count as acquired: one a second from here, in the order of the file. */
const ACQUIRED_FROM = Date.UTC(2026, 0, 1)

/** True for a folder that {@link readCollection} can read. */
export function isCollection(folder: string): boolean {
  return existsSync(join(folder, 'qrels.tsv')) && existsSync(join(folder, 'queries.jsonl'))
}

/**
 * Reads a folder in BEIR's layout: corpus.jsonl or corpus.jsonl.gz, queries.jsonl, qrels.tsv. Queries without a relevant
 * document are left out. A document without a URL, or with that of an earlier one, gets one that says nothing.
 */
export function readCollection(folder: string): JudgedCollection {
  const grades = readGrades(join(folder, 'qrels.tsv'))
  const pages: BenchPage[] = []
  const ids: string[] = []
  const urls = new Set<string>()
  for (const { _id, title = '', text, url, published_at } of readLines<CorpusLine>(folder, 'corpus.jsonl')) {
    const number = pages.length
    const publishedAt = Date.parse(published_at ?? '')
    const own = url !== undefined && URL.canParse(url) && !urls.has(url) ? url : `https://documents.example/${number}`
    urls.add(own)
    ids.push(_id)
    pages.push({
      number,
      url: own,
      title,
      text,
      acquiredAt: ACQUIRED_FROM + number * 1000,
      ...(Number.isFinite(publishedAt) && { publishedAt }),
    })
  }
  const queries = [...readLines<{ _id: string; text: string }>(folder, 'queries.jsonl')]
    .map(({ _id: id, text }) => ({ id, text, grades: grades.get(id) ?? new Map<string, number>() }))
    .filter(query => [...query.grades.values()].some(grade => grade > 0))
  return { name: basename(folder), pages, ids, queries }
}

function* readLines<Line>(folder: string, name: string): Generator<Line> {
  const path = join(folder, name)
  const text = existsSync(path) ? readFileSync(path, 'utf8') : gunzipSync(readFileSync(`${path}.gz`)).toString()
  for (const line of text.split('\n')) if (line.trim() !== '') yield JSON.parse(line)
}

function readGrades(path: string): Map<string, Map<string, number>> {
  const grades = new Map<string, Map<string, number>>()
  for (const line of readFileSync(path, 'utf8').split('\n').slice(1)) {
    const [query, document, grade] = line.split('\t')
    if (grade === undefined) continue
    const ofQuery = grades.get(query) ?? new Map<string, number>()
    grades.set(query, ofQuery.set(document, Number(grade)))
  }
  return grades
}
