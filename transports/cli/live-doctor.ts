import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { messageOf } from '@asof/extract/errors'
import type { LocalDataFolder } from '../../service/data-folder/index.ts'
import type { Doctor, DoctorReport } from '../http/index.ts'
import type { FolderExamination } from './folder-examination.ts'
import { findingsIn } from './output/doctor-text.ts'

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024

/**
 * Examines a data folder that a server has open: `asof doctor`, in a process of its own, reads a copy of the folder. So the server
 * goes on answering, and the copy is one of a single moment. It lies in the folder for temporary files.
 */
export class LiveDoctor implements Doctor {
  report: DoctorReport | undefined
  readonly #folder: Pick<LocalDataFolder, 'backup'>
  readonly #now: () => number
  readonly #program: string
  readonly #closing = new AbortController()
  #work: Promise<void> | undefined

  /** @param program - the entry point of the command line. */
  constructor(folder: Pick<LocalDataFolder, 'backup'>, now: () => number, program: string) {
    this.#program = program
    this.#folder = folder
    this.#now = now
  }

  get isRunning(): boolean {
    return this.#work !== undefined
  }

  start(): void {
    this.#work ??= this.#examine().finally(() => {
      this.#work = undefined
    })
  }

  /** Ends an examination, and deletes the copy. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#work
  }

  async #examine(): Promise<void> {
    const at = this.#now()
    const { signal } = this.#closing
    let temporary: string | undefined
    try {
      temporary = await mkdtemp(path.join(tmpdir(), 'asof-doctor-'))
      const copy = path.join(temporary, 'copy')
      await this.#folder.backup(copy, { signal })
      const examination = await this.#read(copy, signal)
      const { captures, urls, segments } = examination
      this.report = { at, captures, urls, segments, findings: findingsIn(examination) }
    } catch (error) {
      if (!signal.aborted) this.report = { at, failure: messageOf(error) }
    } finally {
      if (temporary !== undefined) await rm(temporary, { recursive: true, force: true })
    }
  }

  /** Runs `asof doctor` on a folder. */
  #read(dir: string, signal: AbortSignal): Promise<FolderExamination> {
    const args = [...process.execArgv, this.#program, 'doctor', '--json', '--data', dir]
    return new Promise((resolve, reject) => {
      execFile(process.execPath, args, { signal, maxBuffer: MAX_OUTPUT_BYTES }, (error, stdout, stderr) => {
        // The exit code is 1 if there are findings. Without an output it could not examine the folder.
        if (stdout !== '') resolve(JSON.parse(stdout) as FolderExamination)
        else reject(new Error(stderr.trim() || (error?.message ?? 'asof doctor has no output')))
      })
    })
  }
}
