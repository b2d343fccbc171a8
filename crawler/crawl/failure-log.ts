import { closeSync, createReadStream, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { AsofError } from '@asof/core'
import { printableJson } from '@asof/extract/characters'
import type { CrawlFailure } from '../report/crawl-report.ts'

const SUFFIX = '.failures.jsonl'
/** Size at which a log is emptied. A watched crawl never ends, so its log could grow forever. */
const MAX_LOG_BYTES = 64 * 1024 * 1024

function logFile(dir: string, name: string): string {
  return join(dir, name + SUFFIX)
}

/**
 * The failures in the last run of a corpus, as lines of JSON in a file next to its frontier. Other processes can read
 * the file during the crawl.
 */
export class FailureLog {
  readonly #file: number
  #bytes: number

  /**
   * Opens or creates the log of a corpus.
   *
   * @param resumes - true if the run is resumed. Earlier failures are then kept.
   */
  constructor(dir: string, name: string, resumes: boolean) {
    // Each line is one synchronous append, so a killed process leaves at most half a line.
    this.#file = openSync(logFile(dir, name), 'a', 0o600)
    if (!resumes) ftruncateSync(this.#file)
    this.#bytes = fstatSync(this.#file).size
  }

  /** @throws ASOF_STORE_WRITE */
  add(failure: CrawlFailure): void {
    const line = Buffer.from(`\n${printableJson(JSON.stringify(failure))}\n`)
    try {
      if (this.#bytes + line.length > MAX_LOG_BYTES) {
        ftruncateSync(this.#file)
        this.#bytes = 0
      }
      writeSync(this.#file, line)
    } catch (cause) {
      throw new AsofError('ASOF_STORE_WRITE', 'the list of failures of the crawl cannot be written', { cause })
    }
    this.#bytes += line.length
  }

  close(): void {
    closeSync(this.#file)
  }
}

/**
 * Yields the failures in the last run of a corpus, oldest first.
 *
 * @param dir - the folder of the frontiers.
 * @param name - the name of the corpus. Without a list of failures, nothing is yielded.
 * @throws the error of the system - the list cannot be read.
 */
export async function* listFailures(dir: string, name: string): AsyncGenerator<CrawlFailure, void, undefined> {
  const file = logFile(dir, name)
  const isThere = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (!isThere) return
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const failure = parseFailure(line)
    if (failure) yield failure
  }
}

function parseFailure(line: string): CrawlFailure | undefined {
  if (line === '') return undefined
  try {
    return JSON.parse(line) as CrawlFailure
  } catch (error) {
    // A killed process can leave half a line, which is skipped.
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
