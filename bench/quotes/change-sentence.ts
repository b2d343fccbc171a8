import type { QuoteContradiction, QuoteVerdictName } from '@asof/core'
import type { Random } from '../apparatus/random.ts'

/** A sentence of a page, and a quote of it. One of them is changed in a known way, so the right verdict is known. */
export interface QuotePair {
  /** What was changed. */
  change: string
  page: string
  quote: string
  verdict: Extract<QuoteVerdictName, 'verbatim' | 'contradicted' | 'reworded'>
  contradicts?: QuoteContradiction
}

/** Makes a pair from a sentence. Undefined if the sentence has nothing that this change could replace. */
type Change = (sentence: string, random: Random) => Omit<QuotePair, 'change'> | undefined

const drawn = <T>(values: readonly T[], random: Random): T => values[random.below(values.length)]!

/** Returns two different values. */
function twoOf<T>(values: readonly T[], random: Random): [T, T] {
  const first = random.below(values.length)
  return [values[first]!, values[(first + 1 + random.below(values.length - 1)) % values.length]!]
}

/** Returns the sentence for the page and for the quote: in each, `length` characters at `place` are replaced by a text of its own. */
function at(sentence: string, place: number, length: number, [page, quote]: readonly [string, string]) {
  const [before, behind] = [sentence.slice(0, place), sentence.slice(place + length)]
  return { page: before + page + behind, quote: before + quote + behind }
}

/** Returns the offset of a space between two words in the middle of a sentence, where a text can be inserted. Undefined if it has none. */
function middleOf(sentence: string, random: Random): number | undefined {
  const places = [...sentence.matchAll(/(?<=[a-z]{3}) (?=[a-z]{3})/g)].map(({ index }) => index)
  const inner = places.slice(1, -1)
  return inner.length === 0 ? undefined : drawn(inner, random)
}

/** Returns a change that inserts two texts, one into the page and the other into the quote. Chance decides which is which. */
function inserted(
  texts: (random: Random) => readonly [page: string, quote: string],
  verdict: QuotePair['verdict'],
  contradicts?: QuoteContradiction,
): Change {
  return (sentence, random) => {
    const place = middleOf(sentence, random)
    if (place === undefined) return undefined
    const [page, quote] = texts(random)
    const sides = random.below(2) === 0 ? ([page, quote] as const) : ([quote, page] as const)
    const spaced = sides.map(text => (text === '' ? '' : ` ${text}`)) as [string, string]
    return { ...at(sentence, place, 0, spaced), verdict, contradicts }
  }
}

/** A number of up to four digits between two words. */
const NUMBER = /(?<=[a-z] )\d{1,4}(?=[ ,.] ?[a-z])/g
const PLAIN_WORD = /(?<= )[a-z]{5,12}(?=[ ,.])/g
const OTHER_WORDS = 'lanterns walking gardens orange bridges silver carpets painted mountains singing'.split(' ')
/** Words that are numbers, units or negations, or belong to a number. */
const SPECIAL =
  /^(?:two|three|four|five|seven|eight|.*teen|twenty|hundreds?|thousands?|millions?|billions?|dozen|second|third|fourth|fifth|without|never|cannot|nothing|neither|nobody|seconds?|minutes?|hours?|weeks?|months?|years?|bytes?|percent|meters?|dollars?|euros?|pounds?|crowns?|march|april|august|twice)$/
const NAMES = ['Keller', 'Ortega', 'Lindqvist', 'Okafor', 'Moreau', 'Tanaka', 'Whitfield', 'Novak']
const MONTHS = ['January', 'February', 'April', 'June', 'July', 'September', 'October', 'December']
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const UNITS = [
  'seconds',
  'minutes',
  'hours',
  'days',
  'weeks',
  'km',
  'kg',
  'MB',
  'GB',
  'kWh',
  'miles',
  'percent',
  'dollars',
  'euros',
]
const DASHES = ['-', '–', '−', '—', '‑']

/** Writes a quote in another typography, which is no change of what it says. */
function retyped(text: string, random: Random): string {
  const changes: ((text: string) => string)[] = [
    text => text.replaceAll(' ', () => drawn([' ', '  ', '\n', '\u00A0', '\u2009'], random)),
    text => text.replaceAll("'", '’').replaceAll('"', '”'),
    text => text.replace(/(?<=[a-z]{3})(?=[a-z]{3})/, '\u00AD'),
    text => text.replaceAll('fi', 'ﬁ'),
    text => text.replace(/(?<= )([a-z]{4,})(?= )/, '**$1**'),
    text => `“${text}”`,
    // Between numbers, a dash would mean a range.
    text => text.replace(/(?<=[a-z]), (?=[a-z]{2})/g, ' – '),
    text => text.replace(/^[A-Z](?=[a-z])/, letter => letter.toLowerCase()),
    text => text.normalize('NFD'),
    text =>
      text.replace(/(?<= )\d+(?= )/g, digits =>
        digits.replace(/\d/g, digit => String.fromCharCode(0xff10 + Number(digit))),
      ),
  ]
  // Two groups of digits with one space between them count as one number, so the space must not change.
  return /\d \d/.test(text) ? `“${text}”` : drawn(changes, random)(text)
}

/** All changes, by their names in a report. */
export const changes: Readonly<Record<string, Change>> = {
  'other typography': (sentence, random) => ({ page: sentence, quote: retyped(sentence, random), verdict: 'verbatim' }),
  'a number': (sentence, random) => {
    const places = [...sentence.matchAll(NUMBER)]
    if (places.length === 0) return undefined
    const { 0: number, index } = drawn(places, random)
    const other = String(Number(number) + 1 + random.below(80))
    return { ...at(sentence, index, number.length, [number, other]), verdict: 'contradicted' }
  },
  'a number put in': inserted(
    random => twoOf(['31 of', '25 of', '4.5 of', '45 of', '1,200 of', '7 of'], random),
    'contradicted',
    'number',
  ),
  'the separator of a number': inserted(
    random =>
      drawn(
        [
          ['1.5', '15'],
          ['3,5', '35'],
          ['12.25', '1225'],
        ] as const,
        random,
      ).map(number => `${number} m`) as [string, string],
    'contradicted',
    'number',
  ),
  'groups of digits': inserted(
    random => twoOf(['12,500', '12500', '12 500', '12’500', '12\u202F500'], random),
    'verbatim',
  ),
  'the form of a number': inserted(
    random =>
      drawn(
        [
          ['2', 'two'],
          ['3.0', '3'],
          ['1,5', '1.5'],
          ['5 %', '5 percent'],
          ['$9', '9 dollars'],
          ['12.000', '12000'],
        ] as const,
        random,
      ),
    'reworded',
  ),
  'a minus': inserted(
    random => [`at ${drawn(DASHES, random)}${7 + random.below(2)} °C`, `at ${7 + random.below(2)} °C`],
    'contradicted',
  ),
  'the dash of a minus': inserted(
    random =>
      twoOf(
        DASHES.map(dash => `at ${dash}7 °C`),
        random,
      ),
    'verbatim',
  ),
  'the dash of a range': inserted(
    random =>
      twoOf(
        DASHES.map(dash => `5${dash}10 of`),
        random,
      ),
    'verbatim',
  ),
  'a comparison': inserted(
    random => twoOf(['> 10 kg', '< 10 kg', '≤ 10 kg', '≥ 10 kg', '≠ 10 kg', '± 10 kg'], random),
    'contradicted',
    'sign',
  ),
  'the spelling of a comparison': inserted(
    random =>
      drawn(
        [
          ['> 10 kg', '>10 kg'],
          ['≤ 10 kg', '<= 10 kg'],
          ['≥ 10', '>=10'],
          ['x ≠ y', 'x != y'],
        ] as const,
        random,
      ),
    'verbatim',
  ),
  'an operator': inserted(
    random =>
      drawn(
        [
          ['a && b', 'a || b'],
          ['a == b', 'a != b'],
          ['a = b', 'a ≠ b'],
          ['a < b', 'a > b'],
          ['a + b', 'a × b'],
          ['a → b', 'a ← b'],
        ] as const,
        random,
      ),
    'contradicted',
    'sign',
  ),
  'a mark': inserted(
    random =>
      drawn(
        [
          ['✓', '✗'],
          ['✔', '✘'],
          ['☑', '☒'],
          ['✅', '❌'],
          ['🟢', '🔴'],
          ['🇩🇰', '🇩🇪'],
          ['★★★', '★★☆'],
        ] as const,
        random,
      ),
    'contradicted',
    'sign',
  ),
  'the drawing of a mark': inserted(
    random =>
      drawn(
        [
          ['✓', '✔'],
          ['✗', '✘'],
          ['❤', '❤️'],
        ] as const,
        random,
      ),
    'verbatim',
  ),
  'the sign of a word': inserted(
    random =>
      drawn(
        [
          ['in C++', 'in C#'],
          ['an A+', 'an A'],
          ['in C++', 'in C'],
          ['in C++17', 'in C17'],
          ['in F#', 'in F'],
          ['on .NET', 'on NET'],
          ['18+ of', '18 of'],
        ] as const,
        random,
      ),
    'contradicted',
  ),
  'a unit': inserted(
    random => twoOf(UNITS, random).map(unit => `12 ${unit}`) as [string, string],
    'contradicted',
    'unit',
  ),
  'a sign of a unit': inserted(
    random => twoOf(['5 % of', '5 ‰ of', '$5 of', '5 € of', '£5 of'], random),
    'contradicted',
    'unit',
  ),
  'a sign of a unit left out': inserted(
    random =>
      drawn(
        [
          ['5% of', '5 of'],
          ['$5 of', '5 of'],
          ['5€ of', '5 of'],
        ] as const,
        random,
      ),
    'contradicted',
    'unit',
  ),
  'the case of a unit': inserted(
    random =>
      drawn(
        [
          ['5 mW', '5 MW'],
          ['5 GB', '5 Gb'],
          ['5 mb', '5 MB'],
          ['5 mV', '5 MV'],
          ['5MB', '5Mb'],
          ['5 mHz', '5 MHz'],
        ] as const,
        random,
      ),
    'contradicted',
    'unit',
  ),
  'a unit behind a slash': inserted(
    random =>
      drawn(
        [
          ['5 mg/kg', '5 mg/g'],
          ['70 km/h', '70 km/s'],
          ['9 m/s²', '9 m/s'],
          ['5 mmol/l', '5 µmol/l'],
          ['5 Mbit/s', '5 MB/s'],
          ['$5/hour', '$5/month'],
        ] as const,
        random,
      ),
    'contradicted',
    'unit',
  ),
  'a prefix of a unit': inserted(random => twoOf(['5 mg', '5 µg', '5 kg', '5 ng'], random), 'contradicted', 'unit'),
  'a half of the day': inserted(
    random =>
      drawn(
        [
          ['10:30 am', '10:30 pm'],
          ['10:30 a.m.', '10:30 p.m.'],
          ['7 AM', '7 PM'],
        ] as const,
        random,
      ),
    'contradicted',
    'unit',
  ),
  'minutes and seconds of arc': inserted(() => ['30′ of', '30″ of'], 'contradicted', 'unit'),
  'an exponent of ten': inserted(random => twoOf(['1e-5 of', '1e5 of', '1e-6 of'], random), 'contradicted', 'number'),
  'a ratio': inserted(random => twoOf(['3:1', '1:3', '3.1', '2:1'], random), 'contradicted', 'number'),
  'the order of numbers': inserted(
    random =>
      drawn(
        [
          ['won 3-1', 'won 1-3'],
          ['from 20 to 10', 'from 10 to 20'],
          ['3 : 7', '7 : 3'],
        ] as const,
        random,
      ),
    'contradicted',
    'number',
  ),
  'the number of a version': inserted(random => twoOf(['v1.2', 'v12', 'v2.1', 'v1.3'], random), 'contradicted'),
  'an operator between operands': inserted(
    random =>
      drawn(
        [
          ['5 − 3', '5 3'],
          ['x − 1', 'x 1'],
          ['x - 1', 'x + 1'],
          ['x*y', 'x/y'],
          ['5 * 3', '5 / 3'],
          ['cost + tax', 'cost − tax'],
          ['a | b', 'a & b'],
          ['a += b', 'a -= b'],
        ] as const,
        random,
      ),
    'contradicted',
    'sign',
  ),
  'the box of a task': inserted(() => ['[x] Water', '[ ] Water'], 'contradicted', 'sign'),
  'the spelling of a time': inserted(
    random =>
      drawn(
        [
          ['at 5.30 pm', 'at 5:30 pm'],
          ['at 17:30', 'at 5:30 pm'],
          ['at 9:05 am', 'at 9.05 am'],
        ] as const,
        random,
      ),
    'reworded',
  ),
  'the spelling of an operator': inserted(
    random =>
      drawn(
        [
          ['x − 1', 'x - 1'],
          ['5 – 10', '5-10'],
          ['30 km / h', '30 km/h'],
          ['3:1', '3 : 1'],
          ['1E-5', '1e−5'],
          ['30′ of', "30' of"],
          ['5′11″', '5\'11"'],
        ] as const,
        random,
      ),
    'verbatim',
  ),
  'a fraction': inserted(random => twoOf(['½ cup', '¼ cup', '2/3 cup', '1½ cup'], random), 'contradicted'),
  'an exponent': inserted(random => twoOf(['10⁶ of', '10^5 of', '10⁻⁶ of', '106 of'], random), 'contradicted'),
  'a name': inserted(
    random => twoOf(NAMES, random).map(name => `by ${name}`) as [string, string],
    'contradicted',
    'name',
  ),
  'a month': inserted(
    random => twoOf(MONTHS, random).map(month => `on 5 ${month} 2019`) as [string, string],
    'contradicted',
    'date',
  ),
  'a weekday': inserted(
    random => twoOf(DAYS, random).map(day => `on ${day}`) as [string, string],
    'contradicted',
    'date',
  ),
  'a year': inserted(
    random => twoOf(['2019', '2020', '1987', '1999'], random).map(year => `in ${year}`) as [string, string],
    'contradicted',
    'date',
  ),
  'the order of a date': inserted(
    random =>
      drawn(
        [
          ['on 5 May 2019', 'on May 5, 2019'],
          ['on 2019-05-04', 'on 4 May 2019'],
        ] as const,
        random,
      ),
    'reworded',
  ),
  'a negation': (sentence, random) => {
    const found = /(?<=[a-z] )(?:is|are|was|were|can|will|should|must|does|do|has|have|had)(?= [a-z])/.exec(sentence)
    if (!found) return undefined
    const { 0: verb, index } = found
    const denied = drawn(
      ['is', 'are', 'was', 'were', 'should', 'must', 'does', 'do'].includes(verb)
        ? [`${verb} not`, `${verb} never`, `${verb}n't`]
        : [`${verb} not`, `${verb} never`],
      random,
    )
    const sides: [string, string] = random.below(2) === 0 ? [verb, denied] : [denied, verb]
    return { ...at(sentence, index, verb.length, sides), verdict: 'contradicted', contradicts: 'negation' }
  },
  'a word': (sentence, random) => {
    // Another number, unit or negation would contradict the page, and not only reword it.
    const places = [...sentence.matchAll(PLAIN_WORD)].filter(({ 0: word }) => !SPECIAL.test(word))
    if (places.length === 0) return undefined
    const { 0: word, index } = drawn(places, random)
    return { ...at(sentence, index, word.length, [word, drawn(OTHER_WORDS, random)]), verdict: 'reworded' }
  },
  'a word more or less': inserted(random => ['', drawn(OTHER_WORDS, random)], 'reworded'),
  'an emoji more or less': inserted(random => ['', drawn(['🎉', '🚀', '→'], random)], 'reworded'),
}

/** Makes a pair by a drawn change. */
export function changeSentence(sentence: string, random: Random): QuotePair {
  const names = Object.keys(changes)
  for (;;) {
    const change = drawn(names, random)
    const pair = changes[change]!(sentence, random)
    if (pair) return { change, ...pair }
  }
}
