import type { Failure } from '@asof/extract/errors'

/** The outcomes of one call. Each observation counts once: as added, revised, unchanged, removed or failed. */
export interface AddReport {
  /** Number of captures whose title or text differs from the capture before. */
  added: number
  /**
   * Number of captures with the title and text of the capture before, but with other metadata, markup or white space.
   * Metadata are publish date, author, kind, language, description, site name and structured data. The page has the new
   * ones from the instant of the capture on.
   */
  revised: number
  /**
   * Number of captures without any difference to the capture before, and of declared sightings and aliases. Also counts
   * a capture that a later one of the same URL and millisecond replaced.
   */
  unchanged: number
  /** Number of declared removals. */
  removed: number
  /** The observations that were not added. */
  failures: Failure[]
  /** The URLs of captures without any text. They are stored; one without a title has the title ''. */
  withoutText: string[]
  /** Captures with characters that could not be decoded and were replaced by U+FFFD. */
  replaced: { url: string; characters: number }[]
  /** Values that were left out or shortened. The rest of their capture was kept. */
  warnings: AddWarning[]
}

/** A value of a capture that was left out or shortened. */
export interface AddWarning {
  /** The URL as the caller gave it. */
  url: string
  /** The name of the field in `CaptureInput`. */
  field: string
  /** The reason, and whether the value was left out or shortened, such as `later than acquiredAt: left out`. */
  reason: string
}
