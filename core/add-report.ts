/** The outcomes of the observations of one call. Each is counted once: added, revised, unchanged, removed or failed. */
export interface AddReport {
  /** Number of captures whose title or text differs from what was there before. */
  added: number
  /**
   * Number of captures with the same title and text as before, but other metadata (publish date, author, kind, language,
   * description, site name or structured data), markup or white space. From their instant on, the page has these.
   */
  revised: number
  /**
   * Number of captures with the same title, text, markup and metadata as before, and of declared sightings and aliases. A
   * capture whose millisecond a later capture of the same URL takes counts here too.
   */
  unchanged: number
  /** Number of declared removals. */
  removed: number
  failed: { url: string; error: Error }[]
  /** Values that were left out or cut, although their capture was kept. Often empty. */
  warnings: AddWarning[]
}

/** A value of a capture that was left out or cut. */
export interface AddWarning {
  /** The URL as the caller gave it. */
  url: string
  /** The name of the field in `CaptureInput`. */
  field: string
  /** The reason, and whether the value was left out or cut, such as `later than acquiredAt: left out`. */
  reason: string
}
