/** How the visit of a URL ended. */
export type VisitOutcome =
  /** A new capture was added. */
  | 'captured'
  /** The stored text is unchanged. */
  | 'unchanged'
  /** The index has the content under another URL, of which this URL becomes an alias. */
  | 'duplicate'
  /** The page asks not to be indexed. */
  | 'noindex'
  /** robots.txt forbids the URL. */
  | 'robots'
  /** The URL redirects out of the crawl's scope. */
  | 'outside'
  /** Nothing was requested, because the stored content is still fresh as its site declared. */
  | 'fresh'
  /** Pages claim the URL as their address, nothing links to it, and it gives no page. */
  | 'unproven'
  /** The page could not be fetched or stored. */
  | 'failed'
  /** The visit failed and will be repeated in this run. */
  | 'later'
