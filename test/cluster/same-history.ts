import type { Engine, Page } from '../../core/index.ts'

/** Gives a local engine the history that a cluster has of some pages, up to an instant. */
export class SameHistory {
  readonly #cluster: Engine
  readonly #local: Engine
  /** The text of each capture so far. */
  readonly texts = new Set<string>()
  /** The instant up to which the local engine has the history, epoch ms. */
  #upTo = Number.NEGATIVE_INFINITY

  constructor(cluster: Engine, local: Engine) {
    this.#cluster = cluster
    this.#local = local
  }

  /**
   * Adds what happened up to an instant. Captures are declared, so the receipts of the two engines differ in `declared`. If it fails, it
   * can be called again.
   */
  async follow(urls: readonly string[], instant: number): Promise<void> {
    const found = await Promise.all(urls.map(url => this.#since(url, instant)))
    for (const { url, at, page } of found.flat())
      if (page) {
        this.texts.add(page.markdown)
        await this.#local.add([{ url, title: page.title, markdown: page.markdown, acquiredAt: at }])
      } else await this.#local.remove(url, { at })
    this.#upTo = instant
  }

  /** The versions of a page that are new up to an instant; those without a page are removals. */
  async #since(url: string, instant: number): Promise<{ url: string; at: number; page?: Page }[]> {
    const found: { url: string; at: number; page?: Page }[] = []
    let after: string | undefined
    do {
      const { versions, next } = await this.#cluster.history(url, { queryTime: instant, cursor: after })
      for (const { kind, at } of versions.filter(({ at }) => at > this.#upTo && at <= instant)) {
        const page = kind === 'removal' ? undefined : await this.#cluster.page(url, { queryTime: at })
        if (kind !== 'removal' && page?.acquiredAt !== at)
          throw new Error(`${url} has no page as of ${at}, when a version of it began`)
        found.push({ url, at, page })
      }
      after = next
    } while (after)
    return found
  }
}
