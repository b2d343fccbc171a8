/**
 * The most frequent short words of languages in Latin letters. Prose contains many of them, so a text without any is in
 * no language that the detector knows.
 */
const wordsOf: Readonly<Record<string, string>> = {
  af: 'die en van is het nie in te dat vir met op wat',
  az: 'və bu bir ilə üçün da də ki olan onun',
  ca: 'el la de que els les per amb una del en és un al',
  cs: 'se na je že do to jako by pro ve za si od ale',
  da: 'og at det er en til af på med for den som ikke der de',
  de: 'der die und das den von zu mit sich des auf für ist im dem nicht ein eine als auch es an',
  eo: 'la kaj de en estas al kun por ke ne',
  es: 'el la de que en los del se las por un para con una su al lo como más',
  et: 'ja on ei et see oli ka kui aga mis ning',
  eu: 'eta da ez bat du dira izan zen den',
  fi: 'ja on ei että se oli hän kun ovat myös joka mutta tai',
  fr: 'le la les de et des est une un du que dans pour par sur qui au pas avec ne se ce il',
  ga: 'an agus na ar is go bhí sé le den',
  hr: 'je na se da za su od koji kao što ili iz',
  hu: 'az és hogy nem is egy ez meg van volt de el',
  id: 'yang dan di untuk dari ini itu dalam pada ke',
  is: 'og að er sem til við um það en var ekki',
  it: 'il di che la per un in del non una sono della con le da si dei al lo è',
  lt: 'ir yra kad su iš bei tai kaip buvo į ar',
  lv: 'un ir ar no uz par ka tas bija arī vai',
  nl: 'de het een van en is dat op te in zijn voor met niet aan er door',
  no: 'og det er på som en til av for med at ikke den har',
  pl: 'na się nie do to że jest jak od po za przez oraz',
  pt: 'de que do da em um para com não uma os no se na por mais as dos ao',
  ro: 'de și în la cu pe care nu din un să este mai sau',
  sk: 'sa na je že do to ako by pre vo za si od ale',
  sl: 'in je na se za da so pri ki ali po iz',
  sq: 'dhe të në një për me që është nga si nuk',
  sv: 'och att det som en är på för med av till den inte om ett',
  tl: 'ang ng sa na mga at ay ito ni',
  tr: 've bir bu da için ile de olan gibi en ne',
  vi: 'và của là có các được trong cho một không người với',
  yo: 'ni ti awọn tí ní àti wọn',
}
/** Minimum share of hint words, of any language, in prose. */
const PROSE_SHARE = 0.04
/** Minimum share of English hint words in English prose. Prose in other languages has a lower share. */
const ENGLISH_SHARE = 0.12
/** A text with fewer words always counts as prose. */
const FEW_WORDS = 60

const ENGLISH = 'the and of to is that with was this are by from it be have not or'

const english = new Set(ENGLISH.split(' '))
const known = new Set([...english, ...Object.values(wordsOf).flatMap(words => words.split(' '))])
const LONGEST = Math.max(...Array.from(known, word => word.length))

export interface HintWordCounts {
  /** Number of words in the text. */
  words: number
  /** Number of hint words of English. */
  english: number
  /** Number of hint words of any language. */
  known: number
}

/** Counts the words in Latin letters of a text, and the hint words among them. */
export function countHintWords(text: string): HintWordCounts {
  const counts = { words: 0, english: 0, known: 0 }
  let start = -1
  for (let at = 0; at <= text.length; at++) {
    const unit = at < text.length ? text.charCodeAt(at) | 32 : 0
    if ((unit >= 97 && unit <= 122) || unit >= 0xc0) {
      if (start < 0) start = at
    } else if (start >= 0) {
      counts.words++
      if (at - start <= LONGEST) {
        const word = text.slice(start, at).toLowerCase()
        if (known.has(word)) counts.known++
        if (english.has(word)) counts.english++
      }
      start = -1
    }
  }
  return counts
}

/** True if the share of English hint words proves that a text is English. */
export function isPlainEnglish({ english, words }: HintWordCounts): boolean {
  return english >= 2 && english >= ENGLISH_SHARE * words
}

/** True if a text contains sentences, not only names, numbers or code. Always true for a text of a few words. */
export function isProse({ known, words }: HintWordCounts): boolean {
  return words < FEW_WORDS || known >= PROSE_SHARE * words
}
