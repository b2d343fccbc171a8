const MAX_KEPT = 10_000

/** URLs that pages claim and that gave no page in this run, so that a link to one that is found later has it visited. */
export class UnprovenAddresses {
  readonly #urls = new Set<string>()

  add(url: string): void {
    if (this.#urls.size < MAX_KEPT) this.#urls.add(url)
  }

  /** Returns those of some links that lead to such a URL, and forgets them. */
  take(links: readonly string[]): string[] {
    return this.#urls.size === 0 ? [] : links.filter(url => this.#urls.delete(url))
  }
}
