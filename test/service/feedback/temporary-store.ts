import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { FeedbackStore } from '../../../service/feedback/feedback-store.ts'
import { type FeedbackSubmission, feedbackTopic } from '../../../service/index.ts'
import { JournalRecords } from '../../../service/records/journal-records.ts'

/** Opens a feedback store in a temporary folder. */
export async function temporaryStore(): Promise<{ store: FeedbackStore; dir: string; remove(): Promise<void> }> {
  const dir = await mkdtemp(path.join(tmpdir(), 'asof-feedback-'))
  const store = await FeedbackStore.open(await JournalRecords.open(path.join(dir, 'journal')))
  return {
    store,
    dir,
    remove: async () => {
      await store.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** Creates a submission of an organization at an instant. */
export function submissionOf(
  query: string,
  at: number,
  scores: Record<string, number>,
  organization = 'org_a',
): FeedbackSubmission {
  const judgments = Object.entries(scores).map(([url, score]) => ({ url, score }))
  return { at, organization, topic: feedbackTopic(query, at), query, judgments }
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}
