import { sortableNumber, type TermRange } from '@asof/core/internal'
import { PUBLISHED } from '../terms/revised-value.ts'
import type { TermQuery } from '../terms/term-queries.ts'

/** The dates and values of fields of captures in the term index, as they are as of an instant. */
export interface ValueSource {
  /** True for the values with which captures were acquired. Their publish dates are in a field of OpenSearch of their own. */
  isAcquired: boolean
  /** Matches the captures with one of some values, or with a value in one of some ranges. */
  having(terms: readonly string[], ranges: readonly TermRange[]): TermQuery
  /** Matches the captures that were published within a window, epoch ms. Default: all captures with a publish date. */
  published(window?: { from: number; to: number }): TermQuery
  /** Returns the part of an aggregation that selects the counted values: those of one field, whose terms have the prefix. */
  counted(prefix: string): object
  /** Sorts captures by their greatest value with a prefix, in descending order, or by their least value, in ascending order. */
  extreme(prefix: string, ends: ExtremeValue): object
}

interface ExtremeValue {
  isGreatest: boolean
  /** The value that captures without a value are sorted by. */
  missing: string
}

/** Matches whose dates and values are read from the same source. */
export interface MatchClass {
  matches: TermQuery
  source: ValueSource
}

/** The values that captures were acquired with. */
export const acquiredValues: ValueSource = {
  isAcquired: true,
  having: (terms, ranges) => {
    const should = ranges.map(inRange)
    if (terms.length > 0) should.unshift({ terms: { values: terms } })
    return { bool: { should, minimum_should_match: 1 } }
  },
  published: window =>
    window ? { range: { publishedAt: windowRange(window) } } : { exists: { field: 'publishedAt' } },
  counted: prefix => ({ field: 'values', include: `${asPattern(prefix)}.*` }),
  extreme: (prefix, ends) => sortedBy(EXTREME_ACQUIRED, { prefix, ...ends }),
}

/** The end of a script that returns the least or the greatest value with a prefix. The values of a field are in ascending order. */
const extremeOf = (field: string): string => `
  String found = params.missing;
  for (def value : doc['${field}']) {
    if (!value.startsWith(state + params.prefix)) continue;
    found = value.substring(state.length());
    if (!params.isGreatest) break;
  }
  return found;`

const EXTREME_ACQUIRED = `String state = '';${extremeOf('values')}`

function sortedBy(source: string, params: ExtremeValue & { prefix: string; instant?: number }): object {
  return { _script: { type: 'string', order: params.isGreatest ? 'desc' : 'asc', script: { source, params } } }
}

/** A regular expression of Lucene that matches a text, all of whose operators are escaped. */
function asPattern(text: string): string {
  return text.replace(/[\p{P}\p{S}]/gu, sign => `\\${sign}`)
}

/** Returns the first and the last instant of a window as finite numbers, because JSON has no Infinity. */
export function windowRange({ from, to }: { from: number; to: number }): { gte: number; lte: number } {
  return { gte: Math.max(from, -9e15), lte: Math.min(to, 9e15) }
}

function inRange(range: TermRange): TermQuery {
  const { prefix, lower, upper } = endsOf(range)
  if (prefix !== undefined) return { prefix: { values: prefix } }
  const from = lower && { [lower.isOpen ? 'gt' : 'gte']: lower.term }
  const to = upper && { [upper.isOpen ? 'lt' : 'lte']: upper.term }
  return { range: { values: { ...from, ...to } } }
}

interface Ends {
  prefix?: string
  lower?: { term: string; isOpen: boolean }
  upper?: { term: string; isOpen: boolean }
}

function endsOf({ prefix, from, to }: TermRange): Ends {
  if (!from && !to) return { prefix }
  return { lower: from ?? { term: prefix, isOpen: false }, upper: to ?? { term: behind(prefix), isOpen: true } }
}

/** Returns the first term after all terms with a prefix. The last character of the prefix must be ASCII. */
function behind(prefix: string): string {
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)
}

/** The part of a script that finds the prefix of the values as of an instant: the number of the last revision, see `ofRevision`. */
const STATE = `
  int number = 0;
  for (def at : doc['revisedAt']) { if (at <= params.instant) number++; }
  String state = number + '|';`

/** Functions of a script. `compare` orders texts by their bytes in UTF-8. */
const COMPARE = `
  int compare(String a, String b) {
    int end = (int) Math.min(a.length(), b.length());
    for (int i = 0; i < end; i++) {
      int x = (int) a.charAt(i); int y = (int) b.charAt(i);
      if (x == y) continue;
      boolean isSurrogate = x >= 55296 && x <= 57343;
      if (isSurrogate != (y >= 55296 && y <= 57343)) return isSurrogate ? 1 : -1;
      return x - y;
    }
    return a.length() - b.length();
  }
  boolean isWithin(String value, def range) {
    if (range.prefix != null) return value.startsWith(range.prefix);
    int lower = compare(value, range.lower.term);
    int upper = compare(value, range.upper.term);
    return (range.lower.isOpen ? lower > 0 : lower >= 0) && (range.upper.isOpen ? upper < 0 : upper <= 0);
  }`

const HAVING = `${COMPARE}${STATE}
  for (def value : doc['revisedValues']) {
    if (!value.startsWith(state)) continue;
    String term = value.substring(state.length());
    if (params.terms.contains(term)) return true;
    for (def range : params.ranges) { if (isWithin(term, range)) return true; }
  }
  return false;`

const COUNTED = `${STATE}
  List found = new ArrayList();
  for (def value : doc['revisedValues'])
    if (value.startsWith(state + params.prefix)) found.add(value.substring(state.length()));
  return found;`

const EXTREME_REVISED = `${STATE}${extremeOf('revisedValues')}`

/** The values that captures have by the last of their revisions up to an instant, epoch ms. Only for captures that were revised by then. */
export function revisedValues(instant: number): ValueSource {
  const having: ValueSource['having'] = (terms, ranges) => ({
    script: { script: { source: HAVING, params: { instant, terms, ranges: ranges.map(endsOf) } } },
  })
  const term = (at: number): string => PUBLISHED + sortableNumber(at)
  return {
    isAcquired: false,
    having,
    published: window => {
      const ends = window && {
        from: { term: term(window.from), isOpen: false },
        to: { term: term(window.to), isOpen: false },
      }
      return having([], [{ prefix: PUBLISHED, ...ends }])
    },
    counted: prefix => ({ script: { source: COUNTED, params: { instant, prefix } } }),
    extreme: (prefix, ends) => sortedBy(EXTREME_REVISED, { instant, prefix, ...ends }),
  }
}
