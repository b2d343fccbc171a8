import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { UsageError } from '../command-failure.ts'

/** A file that a command writes. It has a temporary name until it is complete, and only its user may read it. */
export class NewFile {
  readonly #name: string
  readonly #handle: FileHandle

  private constructor(name: string, handle: FileHandle) {
    this.#name = name
    this.#handle = handle
  }

  /** @throws UsageError - the file can't be created. */
  static async create(name: string): Promise<NewFile> {
    try {
      return new NewFile(name, await open(`${name}.partial`, 'w', 0o600))
    } catch (cause) {
      throw new UsageError(`${name} can't be written: is there such a folder, and may you write to it?`, { cause })
    }
  }

  async write(part: string | Uint8Array): Promise<void> {
    await this.#handle.appendFile(part)
  }

  /** Deletes the file, which is not complete. */
  async discard(): Promise<void> {
    await this.#handle.close()
    await rm(`${this.#name}.partial`, { force: true })
  }

  async finish(): Promise<void> {
    await this.#handle.sync()
    await this.#handle.close()
    await rename(`${this.#name}.partial`, this.#name)
  }
}
