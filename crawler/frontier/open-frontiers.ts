import { resolve } from 'node:path'
import { Frontier } from './frontier.ts'

/**
 * The open frontiers of one owner, such as the process that holds a data folder. LevelDB can open a folder only once, so the
 * frontier of a running crawl can be copied only through the object that has it open.
 */
export class OpenFrontiers {
  readonly #byFolder = new Map<string, Frontier>()

  /**
   * Opens the frontier in a folder; close it with {@link close}.
   *
   * @throws as {@link Frontier.open} does.
   */
  async open(dir: string): Promise<Frontier> {
    const frontier = await Frontier.open(dir)
    this.#byFolder.set(resolve(dir), frontier)
    return frontier
  }

  /** Returns the open frontier of a folder, if there is one. */
  get(dir: string): Frontier | undefined {
    return this.#byFolder.get(resolve(dir))
  }

  /** Closes the frontier of a folder, which {@link open} has opened. */
  async close(dir: string): Promise<void> {
    const frontier = this.get(dir)
    this.#byFolder.delete(resolve(dir))
    await frontier?.close()
  }
}
