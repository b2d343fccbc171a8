import { answerPassages } from '@asof/core'
import { firstCodePoints } from '../contract/code-points.ts'
import { limits } from '../contract/schema-parts.ts'
import { type ClientCall, FairQueue } from '../fair-shares/fair-queue.ts'
import type { LivePage } from './live-page.ts'

/** The kind of reader that answered a prompt; sent as the `X-Asof-Reader` header. */
export type ReaderName = 'llm' | 'extractive'

/** What a {@link Reader} sees of a page. The Markdown has at most 1,000,000 characters. */
export type ReadablePage = Pick<LivePage, 'url' | 'title' | 'markdown'>

/** A reader's answer. */
export interface Reading {
  /** Markdown. */
  content: string
  /** The kind of reader that answered. */
  reader: ReaderName
}

/** Answers an instruction (`prompt`, spec E3) from one page alone. */
export interface Reader {
  /** @throws ServiceError internal_error - the reader failed; the message says how. */
  read(page: ReadablePage, instruction: string): Promise<Reading>
}

/** The built-in reader: answers with the passages of the page that fit the instruction, verbatim. */
export const extractiveReader: Reader = {
  async read({ markdown }, instruction) {
    return { content: answerPassages(markdown, instruction), reader: 'extractive' }
  },
}

/** Answers an instruction from a page, within the share of readings of the caller. */
export type ReadFor = (page: ReadablePage, instruction: string, call: ClientCall) => Promise<Reading>

/** The limits are low, because a language model takes seconds and costs money. */
const queueLimits = { running: 16, runningPerClient: 4, waiting: 64, waitingPerClient: 8 } as const

/**
 * Lets at most 16 readings run at a time, 4 of them for one client. Others wait, at most 64 and 8 of them for one client.
 * Only the first 1,000,000 characters of a page are read.
 *
 * @returns a function that also throws ServiceError overloaded if the queue is full.
 */
export function limitReadings(reader: Reader): ReadFor {
  const queue = new FairQueue(queueLimits, 'pages are being read for a prompt')
  return ({ url, title, markdown }, instruction, { client, signal }) => {
    const page = { url, title, markdown: firstCodePoints(markdown, limits.fetchChars.longest) }
    return queue.run(client, () => reader.read(page, instruction), signal)
  }
}
