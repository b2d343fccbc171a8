import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { UsageError } from '../command-failure.ts'

/** Number of bytes that are collected for one write. A single part (a line or a record) would be too small. */
const WRITE_BYTES = 1 << 16

/** A file that a command writes. It has a temporary name until it is complete. */
export class NewFile {
  readonly #name: string
  readonly #handle: FileHandle
  /** Parts that are not written yet. */
  #gathered: Uint8Array[] = []
  #gatheredBytes = 0

  private constructor(name: string, handle: FileHandle) {
    this.#name = name
    this.#handle = handle
  }

  /**
   * @param mode - permissions, without those that the umask denies. Default: only the user may read and write the file.
   * @throws UsageError - the file can't be created.
   */
  static async create(name: string, mode = 0o600): Promise<NewFile> {
    try {
      return new NewFile(name, await open(`${name}.partial`, 'w', mode))
    } catch (cause) {
      throw new UsageError(`${name} can't be written: is there such a folder, and may you write to it?`, { cause })
    }
  }

  async write(part: string | Uint8Array): Promise<void> {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part
    this.#gathered.push(bytes)
    this.#gatheredBytes += bytes.length
    if (this.#gatheredBytes >= WRITE_BYTES) await this.#flush()
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#gathered)
    this.#gathered = []
    this.#gatheredBytes = 0
    await this.#handle.appendFile(bytes)
  }

  /** Deletes the incomplete file. */
  async discard(): Promise<void> {
    await this.#handle.close()
    await rm(`${this.#name}.partial`, { force: true })
  }

  async finish(): Promise<void> {
    await this.#flush()
    await this.#handle.sync()
    await this.#handle.close()
    await rename(`${this.#name}.partial`, this.#name)
  }
}

/**
 * Creates files that only the user may read and write. The files get their names when `write` resolves. If `write` rejects,
 * they are deleted.
 *
 * @throws UsageError - a file can't be created.
 * @throws what `write` throws.
 */
export async function writeFiles(
  names: readonly string[],
  write: (files: readonly NewFile[]) => Promise<void>,
): Promise<void> {
  const files: NewFile[] = []
  try {
    for (const name of names) files.push(await NewFile.create(name))
    await write(files)
    for (const file of files) await file.finish()
  } catch (error) {
    for (const file of files) await file.discard()
    throw error
  }
}
