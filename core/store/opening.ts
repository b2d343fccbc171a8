import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isAsofError } from '../errors.ts'
import { type Database, openDatabase } from './database.ts'
import type { Reserve } from './integrity/reserve.ts'

/** Space that one opening takes besides the log and the manifest, which LevelDB rewrites. */
const OTHER_BYTES = 64 * 1024
/**
 * Number of openings on a full disk for which space is reserved. LevelDB may compact tables as soon as it is open, and then
 * takes the space that the opening left free, which returns only at the next opening.
 */
const OPENINGS = 16
/** The space that a log takes as tables, as a multiple of its size: a table stores 8 bytes more for each key. */
const TABLES_OF_LOG = 1.25

/** The space on disk that opening a LevelDB folder takes. */
export class OpeningSpace {
  /** Space of one opening if the log is empty, bytes. */
  readonly #emptyLogBytes: number
  /** An upper bound on the size of the log. */
  #logBytes: number

  private constructor(emptyLogBytes: number, logBytes: number) {
    this.#emptyLogBytes = emptyLogBytes
    this.#logBytes = logBytes
  }

  static async of(location: string): Promise<OpeningSpace> {
    return new OpeningSpace(OTHER_BYTES + (await sizeOf(location, /^MANIFEST-/)), await sizeOf(location, /\.log$/))
  }

  /** Counts a write that adds up to `bytes` to the log. */
  grow(bytes: number): void {
    this.#logBytes += bytes
  }

  /** Space of the next opening. */
  get once(): number {
    return this.#emptyLogBytes + Math.ceil(TABLES_OF_LOG * this.#logBytes)
  }

  /** Space of the openings after it, if nothing is written in between. */
  get later(): number {
    return this.#emptyLogBytes * (OPENINGS - 1)
  }

  get all(): number {
    return this.once + this.later
  }
}

/**
 * Opens the database. If there is no space for that, the reserve gives up a part, and twice as much after each further
 * failure. What the opening left of it is reserved again, as far as LevelDB has not taken it yet.
 */
export async function openWith(reserve: Reserve, location: string, mappedBytes: number | undefined): Promise<Database> {
  const held = reserve.bytes
  let given = (await OpeningSpace.of(location)).once
  for (;;)
    try {
      const database = await openDatabase(location, mappedBytes)
      if (reserve.bytes < held) await reserve.holdWhatFits((await OpeningSpace.of(location)).later)
      return database
    } catch (error) {
      // LevelDB reports a full disk only by the system's message, which may be in any language: every failure is retried.
      if (!isAsofError(error, 'ASOF_STORE_READ') || reserve.bytes === 0) {
        await reserve.holdWhatFits(held)
        throw error
      }
      await reserve.shrink(Math.max(0, reserve.bytes - given))
      given *= 2
    }
}

/** The size of the files in a folder whose name matches. */
export async function sizeOf(folder: string, names: RegExp): Promise<number> {
  let bytes = 0
  for (const name of await readdir(folder)) {
    // LevelDB, which works in the background, may delete a file after it was listed.
    if (names.test(name)) bytes += (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0
  }
  return bytes
}
