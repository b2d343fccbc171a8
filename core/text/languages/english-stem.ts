import { porter2 } from './porter2.ts'

/** Singular nouns in -s. Porter2 removes the s of most of them, and finds another stem for their plurals in -ses. */
const singularInS: ReadonlySet<string> = new Set(
  (
    'alias asbestos atlas bias biogas bus canvas christmas chrysalis clitoris cosmos gas ibis iris lens mantis metropolis minibus ' +
    'pancreas pelvis penis plus portcullis rhinoceros thermos trellis yes'
  ).split(' '),
)

/** Plurals that end in -us. Porter2 keeps that ending, because most words that have it are singular: bus, virus. */
const pluralInUs: ReadonlySet<string> = new Set(
  'ecus emus gnus gurus haikus menus psus skus submenus tofus tutus zebus'.split(' '),
)

/** Abbreviations that end in s and are singular. Without the s, most of them would be other abbreviations: GP, SM, Mr. */
const singularAbbreviations: ReadonlySet<string> = new Set(
  (
    'bps btrfs cbs cms dbms dns fps gbps gfs gps hdfs hls https kbps mbps mms mrs nfs nhs ntfs pbs qps rdbms rds rms rps sms sns ' +
    'sqs tls tps vfs xfs zfs'
  ).split(' '),
)

/**
 * Pairs of consonants with which English words begin. A word that consists of another pair, a vowel and s is the plural of an
 * abbreviation: CPUs, KPIs.
 */
const onsets: ReadonlySet<string> = new Set(
  'bl br ch cl cr dr dw fl fr gh gl gn gr kl kn kr ph pl pr rh sc sh sk sl sm sn sp sq st sw th tr ts tw wh wr'.split(
    ' ',
  ),
)

/** Maximum length of the plural of an abbreviation. */
const MAX_ABBREVIATION = 6

/**
 * Returns the stem of an English word of lower-case ASCII letters: that of Porter2, except for plurals of abbreviations
 * (GPUs, LLMs, TVs) and of nouns in -s (buses, lenses), which have the stem of their singular.
 */
export function englishStem(word: string): string {
  if (word.charCodeAt(word.length - 1) !== 0x73) return porter2(word)
  if (singularInS.has(word)) return word
  if (word.endsWith('es') && singularInS.has(word.slice(0, -2))) return word.slice(0, -2)
  if (word === 'busses' || word === 'gasses') return word.slice(0, -3)
  if (pluralInUs.has(word) || isPluralOfAbbreviation(word)) return word.slice(0, -1)
  return porter2(word)
}

/** @param word - ends in s. */
function isPluralOfAbbreviation(word: string): boolean {
  const last = word.length - 2
  if (last < 1 || word.length > MAX_ABBREVIATION || isVowel(word, 0) || word.charCodeAt(last) === 0x73) return false
  for (let at = 1; at < last; at++) if (isVowel(word, at)) return false
  if (!isVowel(word, last)) return !singularAbbreviations.has(word)
  return last === 2 && !onsets.has(word.slice(0, 2))
}

function isVowel(word: string, at: number): boolean {
  return 'aeiouy'.includes(word[at]!)
}
