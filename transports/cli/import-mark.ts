import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { mkdir, readFile, rm, stat } from 'node:fs/promises'
import path from 'node:path'

/**
 * How far an import of a file has got, kept in the data folder so that the same command goes on there. A file that was
 * changed meanwhile is another file; standard input is none. Folders are cheap to read again, and change.
 */
export class ImportMark {
  readonly #file: string | undefined
  /** Lines or pages that an earlier import brought into the index. */
  readonly done: number

  private constructor(file: string | undefined, done: number) {
    this.#file = file
    this.done = done
  }

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

  /** So many are in the index now. Written at once: what is not noted is only imported again, and found unchanged. */
  reached(read: number): void {
    if (this.#file !== undefined) writeFileSync(this.#file, String(read))
  }

  /** @param whole - the import came to its end: the next one begins anew. */
  async end(whole: boolean): Promise<void> {
    if (whole && this.#file !== undefined) await rm(this.#file, { force: true })
  }
}
