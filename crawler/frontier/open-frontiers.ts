import { resolve } from 'node:path'
import { Frontier } from './frontier.ts'

/**
 * The frontiers that one owner, such as the holder of a data folder, has open. LevelDB opens a folder once at a time, so
 * the frontier of a running crawl can be copied only through the object that has it open.
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

  /** Closes the frontier that {@link open} opened in a folder. */
  async close(dir: string): Promise<void> {
    const frontier = this.get(dir)
    this.#byFolder.delete(resolve(dir))
    await frontier?.close()
  }
}
