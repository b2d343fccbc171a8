import type { Client } from '@opensearch-project/opensearch'
import { openSearchClient } from '../open-search-client.ts'
import type { IndexLayout } from './index-layout.ts'
import { CHANGE, searchFailed, TermIndex } from './term-index.ts'

/**
 * The indices of a cluster in OpenSearch, `<name>-1`, `<name>-2` and so on. PostgreSQL records which of them is searched. An
 * alias with the name of the cluster points to it, for people and tools.
 */
export class TermIndices {
  readonly #client: Client
  readonly #name: string
  readonly #indices = new Map<number, TermIndex>()

  private constructor(client: Client, name: string) {
    this.#client = client
    this.#name = name
  }

  /**
   * Opens the indices of a cluster, and creates the one that is searched, with its alias, if it is missing.
   *
   * @param current - the number of the index that is searched.
   * @throws ASOF_PACKAGE_MISSING, ASOF_SEARCH_FAILED
   */
  static async open(
    search: string | readonly string[],
    name: string,
    current: number,
    layout: IndexLayout,
  ): Promise<TermIndices> {
    const client = await openSearchClient(search)
    const indices = new TermIndices(client, name)
    try {
      await indices.at(current).createIfMissing(layout)
      const { body: hasAlias } = await client.indices.existsAlias({ name })
      if (!hasAlias) await indices.nameCurrent(current)
      return indices
    } catch (error) {
      await client.close()
      throw searchFailed(error)
    }
  }

  /** Returns the index with a number. */
  at(number: number): TermIndex {
    const known = this.#indices.get(number)
    if (known) return known
    const index = new TermIndex(this.#client, indexName(this.#name, number))
    this.#indices.set(number, index)
    return index
  }

  /** Points the alias to one index only. */
  async nameCurrent(number: number): Promise<void> {
    const index = indexName(this.#name, number)
    const actions = [
      { remove: { index: `${this.#name}-*`, alias: this.#name, must_exist: false } },
      { add: { index, alias: this.#name } },
    ]
    await this.#client.indices.updateAliases({ body: { actions } }, CHANGE)
  }

  /** Deletes an index, if it exists. */
  async delete(number: number): Promise<void> {
    await this.#client.indices.delete({ index: indexName(this.#name, number), ignore_unavailable: true }, CHANGE)
    this.#indices.delete(number)
  }

  /** The client and the name of the cluster, for the tools of operators. */
  get place(): { client: Client; name: string } {
    return { client: this.#client, name: this.#name }
  }

  close(): Promise<void> {
    return this.#client.close()
  }
}

export const indexName = (name: string, number: number): string => `${name}-${number}`
