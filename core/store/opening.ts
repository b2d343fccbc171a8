import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isAsofError } from '@asof/extract/errors'
import { type Database, openDatabase } from './database.ts'
import type { Reserve } from './integrity/reserve.ts'

/** Space for one opening, in addition to the log and the manifest, which LevelDB rewrites. */
const OTHER_BYTES = 64 * 1024
/**
 * Number of openings on a full disk for which space is reserved. One is not enough: after an opening LevelDB may compact
 * tables, and the space that this takes is freed only at the next opening.
 */
const OPENINGS = 16
/** Size of the tables that LevelDB writes from a log, relative to the log. Tables have 8 more bytes per key. */
const TABLES_OF_LOG = 1.25

/** The disk space that opening a LevelDB folder needs. All sizes are in bytes. */
export class OpeningSpace {
  /** Space for one opening with an empty log. */
  readonly #emptyLogBytes: number
  /** Upper bound for the size of the log. */
  #logBytes: number

  private constructor(emptyLogBytes: number, logBytes: number) {
    this.#emptyLogBytes = emptyLogBytes
    this.#logBytes = logBytes
  }

  static async of(location: string): Promise<OpeningSpace> {
    return new OpeningSpace(OTHER_BYTES + (await sizeOf(location, /^MANIFEST-/)), await sizeOf(location, /\.log$/))
  }

  /** Records a write that adds at most `bytes` to the log. */
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
 * Opens the database. If the disk is full, the reserve gives up some of its space, and twice as much after each further
 * failure. After the opening the reserve takes back what is still free.
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
      // For a full disk LevelDB gives only a message of the system, which may be in any language. So the opening is
      // retried after any failure.
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
    // LevelDB may delete a file in the background after the file was listed.
    if (names.test(name)) bytes += (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0
  }
  return bytes
}
