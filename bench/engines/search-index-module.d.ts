/** The parts of search-index that `search-index.ts` uses; the package has no types of its own. */
declare module 'search-index' {
  export class SearchIndex {
    constructor(options: { name: string; storeRawDocs?: boolean })
    PUT(documents: { _id: number; title: string; text: string }[]): Promise<unknown>
    readonly INDEX: { STORE: { close(): Promise<void> } }
  }
}
