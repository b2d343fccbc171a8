import type { CurrentSubmission } from './feedback-record.ts'

/** A part of the two files of an export, in whole lines with their line ends. */
export interface TrecPart {
  /** TREC qrels: `topic 0 url score`. */
  qrels: string
  /** JSON lines: `{"topic", "query", "query_time"}`. */
  topics: string
  /** Number of judgments in `qrels`. */
  judgments: number
}

/** Characters that would end a field of a qrels line; normalized URLs have none. */
const white = /\s/g

/**
 * Converts feedback to TREC relevance judgments, with one part for each submission that has judgments. A document is
 * identified by its URL in the index, a topic by its query and time, because a page is judged as of that time. Score 0 means
 * that a page did not load, which says nothing about its relevance, so it is left out. Topics of organizations with zero data
 * retention have judgments but no line in `topics`.
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
