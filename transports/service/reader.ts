import { answerPassages } from '../../core/index.ts'
import { FairSlots } from './fair-slots.ts'
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

/** Reads a page for one of several clients. */
export type ReadFor = (page: ReadablePage, instruction: string, client: string | undefined) => Promise<Reading>

/** A language model takes seconds and costs money. */
const readerSlots = { total: 16, perClient: 4 } as const

/**
 * Lets no more than 16 readings run at a time, 4 of one client.
 *
 * @throws ServiceError overloaded - as many are running already.
 */
export function limitReadings(reader: Reader): ReadFor {
  const slots = new FairSlots(readerSlots, 'pages are being read for a prompt')
  return (page, instruction, client) => slots.run(client, () => reader.read(page, instruction))
}
