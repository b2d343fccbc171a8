import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { mkdir, readFile, rm, stat } from 'node:fs/promises'
import path from 'node:path'

/**
 * The progress of importing a file, stored in the data folder so that the same command can resume an interrupted
 * import. If the file has changed, its import starts again. Standard input and folders are not tracked: folders may
 * change, and reading unchanged pages again is cheap.
 */
export class ImportMark {
  readonly #file: string | undefined
  /** Number of lines or pages that earlier, interrupted imports have added to the index. */
  readonly done: number

  private constructor(file: string | undefined, done: number) {
    this.#file = file
    this.done = done
  }

  /** @param name - path of the file, or `-` for standard input. */
  static async of(dir: string, name: string): Promise<ImportMark> {
    const info = name === '-' ? undefined : await stat(name)
    if (!info?.isFile()) return new ImportMark(undefined, 0)
    const identity = `${path.resolve(name)}\0${info.size}\0${info.mtimeMs}`
    const folder = path.join(dir, 'imports')
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const file = path.join(folder, createHash('sha256').update(identity).digest('hex').slice(0, 32))
    const kept = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '0'
      throw error
    })
    return new ImportMark(file, /^\d{1,15}$/.test(kept) ? Number(kept) : 0)
  }

  /**
   * Stores the number of lines or pages that are in the index. If a crash loses it, they are only read again and found
   * unchanged.
   */
  reached(read: number): void {
    if (this.#file !== undefined) writeFileSync(this.#file, String(read), { mode: 0o600 })
  }

  /**
   * Ends the import.
   *
   * @param whole - true if the import is complete. The next one then starts at the beginning.
   */
  async end(whole: boolean): Promise<void> {
    if (whole && this.#file !== undefined) await rm(this.#file, { force: true })
  }
}
