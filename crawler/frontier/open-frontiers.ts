import { resolve } from 'node:path'
import type { Frontier } from './frontier.ts'
import { LevelFrontier } from './level-frontier.ts'

/**
 * The frontiers that one owner has open, such as the process that holds a data folder. They are listed because LevelDB
 * can open a folder only once. So a running crawl's frontier can only be read or copied through its open object.
 */
export class OpenFrontiers {
  readonly #byFolder = new Map<string, Frontier>()

  /**
   * Opens the frontier in a folder. To be closed by {@link close}.
   *
   * @throws as {@link LevelFrontier.open} does.
   */
  async open(dir: string): Promise<LevelFrontier> {
    const frontier = await LevelFrontier.open(dir)
    this.add(dir, frontier)
    return frontier
  }

  /** Lists a frontier that is elsewhere, in place of one in the folder. To be closed by {@link close}. */
  add(dir: string, frontier: Frontier): void {
    this.#byFolder.set(resolve(dir), frontier)
  }

  /** Returns the open frontier of a folder; undefined if it is not open. */
  get(dir: string): Frontier | undefined {
    return this.#byFolder.get(resolve(dir))
  }

  /** Closes the frontier of a folder. */
  async close(dir: string): Promise<void> {
    const frontier = this.get(dir)
    this.#byFolder.delete(resolve(dir))
    await frontier?.close()
  }
}
