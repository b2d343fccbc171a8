import { answerPassages } from '@asof/core'
import { firstCodePoints } from '../contract/code-points.ts'
import { limits } from '../contract/schemas.ts'
import { FairQueue } from '../fair-shares/fair-queue.ts'
import type { LivePage } from './live-page.ts'

/** Which kind of reader answered; the `X-Asof-Reader` header. */
export type ReaderName = 'llm' | 'extractive'

export type ReadablePage = Pick<LivePage, 'url' | 'title' | 'markdown'>

/** What a reader found on a page. */
export interface Reading {
  /** Markdown. */
  content: string
  reader: ReaderName
}

/** Reads a page for an instruction (`prompt` of E3) and answers it from the page alone. */
export interface Reader {
  /** @throws ServiceError internal_error - the reader failed; the message says how. */
  read(page: ReadablePage, instruction: string): Promise<Reading>
}

/** The reader that needs nothing but the page: the passages that answer the instruction, verbatim. */
export const extractiveReader: Reader = {
  async read({ markdown }, instruction) {
    return { content: answerPassages(markdown, instruction), reader: 'extractive' }
  },
}

/** For whom a page is read. */
export interface ReadingCall {
  /** The network or organization whose share of readings this one takes. Default: no share limits it. */
  client?: string | undefined
  /** A reading that waits when this aborts is not begun. */
  signal?: AbortSignal | undefined
}

/** Reads a page for one of several clients. */
export type ReadFor = (page: ReadablePage, instruction: string, call: ReadingCall) => Promise<Reading>

/** A language model takes seconds and costs money. */
const queueLimits = { running: 16, runningPerClient: 4, waiting: 64, waitingPerClient: 8 } as const

/**
 * Lets at most 16 readings run at a time, 4 of one client; the others wait for their turn, 8 of one client and 64 in all.
 * Only the beginning of a page is read, as much as an answer may hold of it.
 *
 * @throws ServiceError overloaded - too many readings of the client wait already.
 */
export function limitReadings(reader: Reader): ReadFor {
  const queue = new FairQueue(queueLimits, 'pages are being read for a prompt')
  return ({ url, title, markdown }, instruction, { client, signal }) => {
    const page = { url, title, markdown: firstCodePoints(markdown, limits.fetchChars.longest) }
    return queue.run(client, () => reader.read(page, instruction), signal)
  }
}
