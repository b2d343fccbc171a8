import { CollectionError } from './collection-error.ts'
import type { Grades } from './ranking-measures.ts'
import { jsonLines, textLines } from './text-lines.ts'

export interface JudgedQuery {
  id: string
  text: string
  /** The instant as of which to search. Default now. */
  queryTime?: string
  grades: Grades
}

export interface JudgedQueries {
  queries: JudgedQuery[]
  /**
   * Number of queries that were left out because they have no relevant document, and of judged topics without a query.
   */
  leftOut: number
}

/**
 * Reads queries and their judgments.
 *
 * @param queries - JSON lines as in BEIR (`_id`, `text`, and beyond BEIR `query_time`), or as `asof feedback export`
 *   writes topics (`topic`, `query`, `query_time`).
 * @param qrels - see {@link readQrels}.
 * @throws CollectionError - a file is missing or has a malformed line.
 */
export async function readJudgedQueries(queries: string, qrels: string): Promise<JudgedQueries> {
  const grades = await readQrels(qrels)
  const judged: JudgedQuery[] = []
  const asked = new Set<string>()
  let leftOut = 0
  for await (const [line, number] of jsonLines(queries)) {
    const id = line._id ?? line.topic
    const text = line.text ?? line.query
    if ((typeof id !== 'string' && typeof id !== 'number') || typeof text !== 'string')
      throw new CollectionError(`${queries}, line ${number}: expected "_id" and "text", or "topic" and "query"`)
    const ofQuery = grades.get(String(id))
    asked.add(String(id))
    if (ofQuery && [...ofQuery.values()].some(grade => grade > 0)) {
      const { query_time: queryTime } = line
      judged.push({
        id: String(id),
        text,
        grades: ofQuery,
        queryTime: typeof queryTime === 'string' ? queryTime : undefined,
      })
    } else leftOut++
  }
  for (const topic of grades.keys()) if (!asked.has(topic)) leftOut++
  return { queries: judged, leftOut }
}

/**
 * Reads relevance judgments: tab-separated lines `query-id corpus-id score` as in BEIR, with or without a head, or
 * lines `topic iteration document grade` as in TREC. If a pair is judged several times, the last one counts.
 *
 * @returns for each query id, the grade of each document id.
 * @throws CollectionError - the file is missing, or a line has neither form.
 */
export async function readQrels(path: string): Promise<Map<string, Map<string, number>>> {
  const grades = new Map<string, Map<string, number>>()
  for await (const [line, number] of textLines(path)) {
    const tabbed = line.trimEnd().split('\t')
    const fields = tabbed.length === 3 ? tabbed : line.trim().split(/\s+/)
    const [query, document, written] = fields.length === 4 ? [fields[0], fields[2], fields[3]] : fields
    const grade = Number(written)
    if (query !== undefined && document !== undefined && written !== undefined && Number.isFinite(grade)) {
      const ofQuery = grades.get(query) ?? new Map<string, number>()
      grades.set(query, ofQuery.set(document, grade))
    } else if (number > 1) {
      throw new CollectionError(`${path}, line ${number}: expected query, document and score`)
    }
  }
  return grades
}
