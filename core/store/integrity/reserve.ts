import { randomFillSync } from 'node:crypto'
import { open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Name of the file, in the folder of the index. LevelDB ignores it. */
const FILE = 'reserve.tmp'
const STEP_BYTES = 1024 * 1024

/**
 * A file that reserves space on disk and is deleted when the disk is full. LevelDB cannot be opened on a full disk, not
 * even for reading, because opening rewrites the log as a table.
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
   * Grows the file to at least `bytes`.
   *
   * @throws the file system's error, such as `ENOSPC`; the file then keeps its size.
   */
  async hold(bytes: number): Promise<void> {
    if (bytes <= this.#bytes) return
    const handle = await open(this.#path, 'a', 0o600)
    try {
      // Random bytes, so that a file system that compresses reserves as much space.
      const block = randomFillSync(new Uint8Array(STEP_BYTES))
      let held = this.#bytes
      try {
        for (; held < bytes; held += STEP_BYTES) await handle.writeFile(block)
        this.#bytes = held
      } catch (error) {
        await handle.truncate(this.#bytes)
        throw error
      }
    } finally {
      await handle.close()
    }
  }

  /** Shrinks the file to at most `bytes`, rounded up to a MiB. */
  async shrink(bytes: number): Promise<void> {
    const most = Math.ceil(bytes / STEP_BYTES) * STEP_BYTES
    if (this.#bytes <= most) return
    const handle = await open(this.#path, 'r+')
    try {
      await handle.truncate(most)
      this.#bytes = most
    } finally {
      await handle.close()
    }
  }

  /** Deletes the file. Returns true if there was one. */
  async release(): Promise<boolean> {
    if (this.#bytes === 0) return false
    await rm(this.#path, { force: true })
    this.#bytes = 0
    return true
  }
}
