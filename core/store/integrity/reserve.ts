import { randomFillSync } from 'node:crypto'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Name of the file, in the folder of the index. LevelDB ignores it. */
const FILE = 'reserve.tmp'
const STEP_BYTES = 1024 * 1024
/** Size of one write. On a full disk, writes of this size succeed until the space runs out. */
const BLOCK_BYTES = 64 * 1024

/**
 * A file that reserves space on disk. LevelDB writes a table when it opens a folder, so it could not open one on a full
 * disk, not even for reading. The file then shrinks to make room.
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

  /** Current size of the file. */
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

  /** Grows the file to at least `bytes` or, if there is not enough space, as far as possible. */
  async holdWhatFits(bytes: number): Promise<void> {
    if (bytes <= this.#bytes) return
    // A failed write leaves the file at the size that it reached.
    await this.#change(file => this.#grow(file, bytes)).catch(() => {})
  }

  /** Shrinks the file to at most `bytes`. */
  async shrink(bytes: number): Promise<void> {
    if (bytes >= this.#bytes) return
    await this.#change(file => file.truncate(bytes))
  }

  async #grow(file: FileHandle, bytes: number): Promise<void> {
    // The bytes are random. A file system that compresses would otherwise reserve less space.
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
