import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isAsofError } from '../errors.ts'
import { type Database, openDatabase } from './database.ts'
import type { Reserve } from './integrity/reserve.ts'

/** Space for one opening, besides that for the log and the manifest, which LevelDB rewrites. */
const OTHER_BYTES = 64 * 1024
/**
 * Number of openings on a full disk for which space is reserved. LevelDB may compact tables as soon as it is open. A compaction uses the
 * space that the opening left, and that space is free again only after the next opening.
 */
const OPENINGS = 16
/** The size of the tables that are written from a log, as a multiple of its size. A table has 8 more bytes for each key. */
const TABLES_OF_LOG = 1.25

/** The space on disk that is needed for opening a LevelDB folder. */
export class OpeningSpace {
  /** Space for one opening if the log is empty, bytes. */
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

  /** Space for the next opening. */
  get once(): number {
    return this.#emptyLogBytes + Math.ceil(TABLES_OF_LOG * this.#logBytes)
  }

  /** Space for the openings after the next one, if nothing is written in between. */
  get later(): number {
    return this.#emptyLogBytes * (OPENINGS - 1)
  }

  get all(): number {
    return this.once + this.later
  }
}

/**
 * Opens the database. If there is not enough space, the reserve releases a part of its space, and twice as much after each further
 * failure. After the opening, the reserve takes back what is still free of that space.
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
      // LevelDB reports a full disk only by the message of the system, in any language. So every failure is retried.
      if (!isAsofError(error, 'ASOF_STORE_READ') || reserve.bytes === 0) {
        await reserve.holdWhatFits(held)
        throw error
      }
      await reserve.shrink(Math.max(0, reserve.bytes - given))
      given *= 2
    }
}

/** Returns the total size of the files in a folder with a matching name. */
export async function sizeOf(folder: string, names: RegExp): Promise<number> {
  let bytes = 0
  for (const name of await readdir(folder)) {
    // LevelDB works in the background, and may delete a file after it was listed.
    if (names.test(name)) bytes += (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0
  }
  return bytes
}
