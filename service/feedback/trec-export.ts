import type { CurrentSubmission } from './feedback-store.ts'

/** A part of the two files of an export, in whole lines. */
export interface TrecPart {
  /** TREC qrels: `topic 0 url score`. */
  qrels: string
  /** JSON lines: `{"topic", "query", "query_time"}`. */
  topics: string
  /** Number of judgments in `qrels`. */
  judgments: number
}

/** White space would end a field of a qrels line. Normalized URLs have none. */
const white = /\s/g

/**
 * Converts feedback to TREC relevance judgments, in one part for each submission with judgments. The id of a document
 * is its URL in the index. A topic is a query with its time, because pages are judged as of that time. A score of 0 is
 * left out: it means that a page did not load, which says nothing about its relevance. Topics of organizations with
 * zero data retention have no line in `topics`.
 */
export async function* trecParts(
  submissions: AsyncIterable<Omit<CurrentSubmission, 'sequence'>>,
): AsyncGenerator<TrecPart, void, undefined> {
  for await (const { at, topic, query, judgments } of submissions) {
    const grades = new Map<string, number>()
    for (const { url, score, capture } of judgments) if (score > 0) grades.set(capture?.url ?? url, score)
    if (grades.size === 0) continue
    const lines = [...grades].map(([url, score]) => `${topic} 0 ${url.replace(white, '+')} ${score}\n`)
    const line = query === undefined ? undefined : { topic, query, query_time: new Date(at).toISOString() }
    yield { qrels: lines.join(''), topics: line ? `${JSON.stringify(line)}\n` : '', judgments: grades.size }
  }
}
