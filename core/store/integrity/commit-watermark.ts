import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { codeOf } from '@asof/extract/errors'

/** Name of the file, in LevelDB's folder. LevelDB ignores it. */
const FILE = 'ACKNOWLEDGED'
const BYTES = 12

/**
 * A file with the generation of the last acknowledged commit. If an index has a lower generation, it has lost commits.
 * LevelDB does not notice such a loss: if its log was cut short, it opens without an error, as after a crash.
 *
 * The file is not synced, so after a power cut it may have an older generation. That only means that a loss may go
 * unnoticed.
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
      this.#file ??= openSync(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600)
      writeSync(this.#file, bytes, 0, BYTES, 0)
    } catch (error) {
      // On a full disk the file keeps the previous generation, as after a power cut.
      if (codeOf(error) === undefined) throw error
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  /** Reads the generation; 0 if the file is missing or damaged. */
  #read(): number {
    const bytes = Buffer.alloc(BYTES)
    let file: number
    try {
      file = openSync(this.#path, 'r')
    } catch (error) {
      if (codeOf(error) !== undefined) return 0
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
