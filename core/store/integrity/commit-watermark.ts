import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

/** A file beside LevelDB's own, which LevelDB ignores. */
const FILE = 'ACKNOWLEDGED'
const BYTES = 12

/**
 * The generation of the last acknowledged commit, in a file. An index of a lower generation has lost commits: if
 * LevelDB's log was cut short, LevelDB assumes that a crash interrupted the last write, and opens without an error.
 *
 * The file is not synced, because the commit itself is. After a power cut it may hold an older generation, which is still
 * a true lower bound.
 */
export class CommitWatermark {
  readonly #path: string
  #file: number | undefined
  /** The generation when the file was opened; 0 if unknown. */
  readonly generation: number

  constructor(location: string) {
    this.#path = join(location, FILE)
    this.generation = this.#read()
  }

  /** Writes the generation of a commit that is on disk. */
  note(generation: number): void {
    const bytes = Buffer.alloc(BYTES)
    bytes.writeDoubleLE(generation)
    bytes.writeUInt32LE(crc32(bytes.subarray(0, 8)), 8)
    try {
      this.#file ??= openSync(this.#path, constants.O_RDWR | constants.O_CREAT)
      writeSync(this.#file, bytes, 0, BYTES, 0)
    } catch (error) {
      // On a full disk the previous generation stays in the file, which is still a true lower bound.
      if (!(error instanceof Error && 'code' in error)) throw error
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  /** Returns 0 for a file that is missing or damaged: then only checksums can show that commits were lost. */
  #read(): number {
    const bytes = Buffer.alloc(BYTES)
    let file: number
    try {
      file = openSync(this.#path, 'r')
    } catch (error) {
      if (error instanceof Error && 'code' in error) return 0
      throw error
    }
    try {
      const isWhole = readSync(file, bytes, 0, BYTES, 0) === BYTES
      return isWhole && crc32(bytes.subarray(0, 8)) === bytes.readUInt32LE(8) ? bytes.readDoubleLE() : 0
    } finally {
      closeSync(file)
    }
  }
}
