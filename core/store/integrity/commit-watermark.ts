import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

/** Beside LevelDB's files, which pays no heed to a file of this name. */
const FILE = 'ACKNOWLEDGED'
const BYTES = 12

/**
 * The generation of the last commit that was acknowledged. An index of a lower one has lost something: a log that was
 * cut off looks to LevelDB as if a crash had done it. It is not synced, as the commit itself is: after a power cut it
 * may be an older one, which is still true.
 */
export class CommitWatermark {
  readonly #path: string
  #file: number | undefined
  /** 0 when none is known. */
  readonly generation: number

  constructor(location: string) {
    this.#path = join(location, FILE)
    this.generation = this.#read()
  }

  note(generation: number): void {
    const bytes = Buffer.alloc(BYTES)
    bytes.writeDoubleLE(generation)
    bytes.writeUInt32LE(crc32(bytes.subarray(0, 8)), 8)
    try {
      this.#file ??= openSync(this.#path, constants.O_RDWR | constants.O_CREAT)
      writeSync(this.#file, bytes, 0, BYTES, 0)
    } catch (error) {
      // On a full disk the one before stays, and stays true.
      if (!(error instanceof Error && 'code' in error)) throw error
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  /** What can't be read says nothing: the commits it spoke of are checked by themselves. */
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
