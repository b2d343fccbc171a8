import type { Engine } from '../../core/index.ts'
import { instantOf, type Operation, type ScriptCapture } from './kill-nine-script.ts'

type Seen = { at: number; capture: ScriptCapture | undefined }

/** The expected contents of an index: for each URL, its observations by time, one of each instant. */
export class Model {
  readonly histories = new Map<string, Seen[]>()
  purged = 0

  apply(operation: Operation, round: number): void {
    if (operation.kind === 'add')
      for (const capture of operation.captures) this.#insert({ at: capture.at, capture }, capture.url)
    else if (operation.kind === 'purge') {
      this.purged += this.#captures(operation.url).length
      this.histories.delete(operation.url)
    } else if (this.hasPage(operation.url)) this.#insert({ at: instantOf(round), capture: undefined }, operation.url)
  }

  /** True if the URL has a page now. */
  hasPage(url: string): boolean {
    return this.histories.get(url)?.at(-1)?.capture !== undefined
  }

  get captures(): ScriptCapture[] {
    return [...this.histories.keys()].flatMap(url => this.#captures(url))
  }

  /**
   * Returns true if an unacknowledged operation, which is not in the model yet, survived in the index.
   *
   * @throws if only a part of it survived.
   */
  async survived(operation: Operation, round: number, engine: Engine): Promise<boolean> {
    if (operation.kind === 'add') {
      let held = 0
      for (const { url, at, token } of operation.captures) {
        const page = await engine.page(url, { queryTime: at })
        // A capture may have become a repetition of one that was declared for shortly before.
        if (page?.lastSeenAt === at && page.markdown.includes(token)) held++
      }
      if (held > 0 && held < operation.captures.length)
        throw new Error(`round ${round}: ${held} of a batch of ${operation.captures.length} captures are there`)
      return held > 0
    }
    const history = this.histories.get(operation.url)
    if (operation.kind === 'purge') {
      const seen = history?.findLast(({ capture }) => capture)
      return seen !== undefined && (await engine.page(operation.url, { queryTime: seen.at })) === undefined
    }
    const isThere = history?.at(-1)?.capture !== undefined
    return isThere && (await engine.page(operation.url, { queryTime: instantOf(round) })) === undefined
  }

  /** Returns the token that the page of a URL must contain at an instant, or `undefined` if there must be no page. */
  tokenAt(url: string, instant: number): string | undefined {
    return this.histories.get(url)?.findLast(({ at }) => at <= instant)?.capture?.token
  }

  /** The captures and removals of a URL, by time: not observations that repeat the content before them. */
  versions(url: string): Seen[] {
    const history = this.histories.get(url) ?? []
    return history.filter(({ capture }, i) => !capture || capture.token !== history[i - 1]?.capture?.token)
  }

  #captures(url: string): ScriptCapture[] {
    return this.versions(url).flatMap(({ capture }) => capture ?? [])
  }

  #insert(seen: Seen, url: string): void {
    const history = this.histories.get(url) ?? []
    this.histories.set(url, history)
    let index = history.length
    while (index > 0 && history[index - 1]!.at > seen.at) index--
    // The later to arrive takes the place of another observation of its instant.
    const isTaken = history[index - 1]?.at === seen.at
    history.splice(isTaken ? index - 1 : index, isTaken ? 1 : 0, seen)
  }
}
