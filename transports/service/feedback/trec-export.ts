import type { CurrentSubmission } from './feedback-record.ts'

/** A stretch of the two files of an export; whole lines, each ended. */
export interface TrecPart {
  /** TREC qrels: `topic 0 url score`. */
  qrels: string
  /** JSON lines: `{"topic", "query", "query_time"}`. */
  topics: string
  /** Judgements in `qrels`. */
  judgements: number
}

/** What replaces the characters that would end a field of a qrels line; normalised URLs have none. */
const white = /\s/g

/**
 * Writes feedback as TREC relevance judgements, a part for each submission that has one. A document is named by the URL
 * under which the index had it, a topic by query and time together, for it is judged as of that time. Score 0 says
 * that a page did not load, which is no judgement of it: it is left out. Topics of organisations under zero data
 * retention have judgements, but no line in `topics`.
 */
export async function* trecParts(
  submissions: AsyncIterable<Omit<CurrentSubmission, 'sequence'>>,
): AsyncGenerator<TrecPart, void, undefined> {
  for await (const { at, topic, query, judgements } of submissions) {
    const grades = new Map<string, number>()
    for (const { url, score, capture } of judgements) if (score > 0) grades.set(capture?.url ?? url, score)
    if (grades.size === 0) continue
    const lines = [...grades].map(([url, score]) => `${topic} 0 ${url.replace(white, '+')} ${score}\n`)
    const line = query === undefined ? undefined : { topic, query, query_time: new Date(at).toISOString() }
    yield { qrels: lines.join(''), topics: line ? `${JSON.stringify(line)}\n` : '', judgements: grades.size }
  }
}
