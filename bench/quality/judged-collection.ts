import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { JudgedCollection as BeirCollection } from '../../service/evaluate/judged-collection.ts'
import type { Grades } from '../../service/evaluate/ranking-measures.ts'
import type { BenchPage } from '../apparatus/page-file.ts'

/** Documents, queries, and the grades of documents for each query. */
export interface JudgedCollection {
  name: string
  pages: BenchPage[]
  /** Document ids, by page number. */
  ids: string[]
  queries: JudgedQuery[]
}

export interface JudgedQuery {
  id: string
  text: string
  grades: Grades
}

/** Returns true for a folder that {@link readCollection} can read. */
export function isCollection(folder: string): boolean {
  const qrels = ['qrels.tsv', join('qrels', 'test.tsv')]
  return existsSync(join(folder, 'queries.jsonl')) && qrels.some(name => existsSync(join(folder, name)))
}

/** Reads a folder in BEIR's layout as `asof evaluate` does, with all pages in memory. */
export async function readCollection(folder: string): Promise<JudgedCollection> {
  const collection = new BeirCollection(folder)
  const pages: BenchPage[] = []
  const ids: string[] = []
  for await (const { id, page } of collection.documents()) {
    const { url, title, text, publishedAt } = page
    ids.push(id)
    pages.push({
      number: pages.length,
      url,
      title,
      text,
      acquiredAt: new Date(page.acquiredAt as string | number).getTime(),
      publishedAt: publishedAt === undefined ? undefined : Date.parse(publishedAt as string),
    })
  }
  const { queries } = await collection.queries()
  return { name: collection.name, pages, ids, queries }
}
