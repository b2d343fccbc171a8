/** The outcomes of the observations in one call. Each observation is counted once: as added, revised, unchanged, removed or failed. */
export interface AddReport {
  /** Number of captures whose title or text differs from the capture before. */
  added: number
  /**
   * Number of captures with the title and text of the capture before, but with other metadata (publish date, author, kind, language,
   * description, site name or structured data), markup or white space. The page has these from the instant of the capture on.
   */
  revised: number
  /**
   * Number of captures that differ in nothing from the capture before, and of declared sightings and aliases. A capture that a later one of
   * the same URL and millisecond replaces counts here too.
   */
  unchanged: number
  /** Number of declared removals. */
  removed: number
  failed: { url: string; error: Error }[]
  /** Values that were left out or cut, while the rest of their capture was kept. */
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
