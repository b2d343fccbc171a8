/** The package has no types; this is what of it is used here. */
declare module 'search-index' {
  export class SearchIndex {
    constructor(options: { name: string; storeRawDocs?: boolean })
    PUT(documents: { _id: number; title: string; text: string }[]): Promise<unknown>
    readonly INDEX: { STORE: { close(): Promise<void> } }
  }
}
