import { randomFillSync } from 'node:crypto'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Name of the file, in the folder of the index. LevelDB ignores it. */
const FILE = 'reserve.tmp'
const STEP_BYTES = 1024 * 1024
/** Size of one write. On a full disk, as many of these writes succeed as there is space for. */
const BLOCK_BYTES = 64 * 1024

/**
 * A file that reserves space on disk, and shrinks when the disk is full. Without it LevelDB could not be opened on a full disk, not even for
 * reading, because opening rewrites the log as a table.
 */
export class Reserve {
  readonly #path: string
  #bytes = 0

  private constructor(path: string) {
    this.#path = path
  }

  /** @param folder - the folder of the index. */
  static async of(folder: string): Promise<Reserve> {
    const reserve = new Reserve(join(folder, FILE))
    const file = await stat(reserve.#path).catch(() => undefined)
    reserve.#bytes = file?.size ?? 0
    return reserve
  }

  /** The size of the file. */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * Grows the file to at least `bytes`, in whole MiB.
   *
   * @throws the file system's error, such as `ENOSPC`; the file then keeps its size.
   */
  async hold(bytes: number): Promise<void> {
    if (bytes <= this.#bytes) return
    await this.#change(async file => {
      try {
        await this.#grow(file, Math.ceil(bytes / STEP_BYTES) * STEP_BYTES)
      } catch (error) {
        await file.truncate(this.#bytes)
        throw error
      }
    })
  }

  /** Grows the file to at least `bytes`, or as far as there is space. */
  async holdWhatFits(bytes: number): Promise<void> {
    if (bytes <= this.#bytes) return
    // The file keeps what was written before the failure.
    await this.#change(file => this.#grow(file, bytes)).catch(() => {})
  }

  /** Shrinks the file to at most `bytes`. */
  async shrink(bytes: number): Promise<void> {
    if (bytes >= this.#bytes) return
    await this.#change(file => file.truncate(bytes))
  }

  async #grow(file: FileHandle, bytes: number): Promise<void> {
    // The bytes are random, so that a file system that compresses reserves the same space.
    const block = randomFillSync(new Uint8Array(BLOCK_BYTES))
    for (let held = this.#bytes; held < bytes; held += BLOCK_BYTES) await file.appendFile(block)
  }

  async #change(change: (file: FileHandle) => Promise<void>): Promise<void> {
    const file = await open(this.#path, 'a', 0o600)
    try {
      await change(file)
    } finally {
      this.#bytes = (await file.stat()).size
      await file.close()
    }
  }
}
