import { stemTerm } from '../../text/terms/term-interner.ts'

/** Endings that English stems drop or shorten. */
const ENDINGS = [
  's',
  'es',
  'ies',
  'ed',
  'er',
  'ers',
  'ing',
  'ings',
  'ingly',
  'ly',
  'ful',
  'fully',
  'less',
  'ness',
  'ment',
  'ments',
  'able',
  'ible',
  'ability',
  'ibility',
  'ation',
  'ations',
  'ator',
  'ators',
  'ition',
  'ive',
  'ively',
  'iveness',
  'al',
  'ally',
  'ality',
  'alism',
  'ance',
  'ence',
  'ity',
  'ism',
  'ist',
  'ists',
  'ize',
  'izer',
  'ization',
  'ousness',
]

/**
 * Returns the stems of words that begin with some letters, if these end in a part of an English ending. So `runni` gives `run`, the stem of
 * `running`. Stems that begin with the letters themselves are left out.
 *
 * @param beginning - folded.
 */
export function stemsOfBeginning(beginning: string): string[] {
  const stems = new Set([stemTerm(beginning)])
  for (const ending of ENDINGS)
    for (let written = 1; written < ending.length; written++)
      if (beginning.endsWith(ending.slice(0, written))) stems.add(stemTerm(beginning + ending.slice(written)))
  return [...stems].filter(stem => !stem.startsWith(beginning))
}
