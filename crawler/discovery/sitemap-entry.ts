/** A page or another sitemap that a file lists. */
export interface SitemapEntry {
  /** Absolute http(s) URL. */
  url: string
  /** True for a sitemap. Undefined for a page. */
  isSitemap?: true
  /** When the page last changed, according to the file, epoch ms. It may be wrong. */
  lastmodAt?: number
  /** Priority among the pages of the site, according to the file, 0 to 1. */
  priority?: number
  /** URLs of the page in other languages (`hreflang`), at most 100. */
  translations?: string[]
}

/** A parsed sitemap or feed. */
export interface Sitemap {
  /** `index` lists sitemaps. `urlset`, `text` and `feed` list pages. `unknown` is no sitemap and lists nothing. */
  kind: 'urlset' | 'index' | 'text' | 'feed' | 'unknown'
  entries: SitemapEntry[]
  /** True if the file exceeds a limit or its gzip stream is broken. Entries up to that point are complete. */
  truncated: boolean
}
