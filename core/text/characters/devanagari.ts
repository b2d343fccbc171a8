/** Matches a nasal with virama, if a consonant follows before which most writers use the sign anusvara in place of the nasal. */
const nasalBeforeConsonant = /(?:ङ्(?=[क-घ])|ञ्(?=[च-झ])|ण्(?=[ट-ढ])|न्(?=[क-घच-झट-ढत-धशस])|म्(?=[प-भ]))/g

/**
 * Writes the nasals of a folded word in one way: हिन्दी, whose nasal is a consonant, becomes हिंदी, whose nasal is a sign.
 * Both are correct (Kendriya Hindi Nirdeshalaya, Devanagari script and standardization of Hindi spelling); the same holds for
 * सम्बन्ध, ठण्डा, गङ्गा and पञ्च. न stands for the nasals of other groups too (इन्टरनेट). Lucene's HindiNormalizer does this
 * for न alone, but before all consonants (Larkey, Connell and Abduljaleel, Hindi CLIR in Thirty Days, TALIP 2003).
 */
export function spellDevanagari(folded: string): string {
  return folded.slice(0, 1) + folded.slice(1).replace(nasalBeforeConsonant, 'ं')
}

const shortVowels: Readonly<Record<string, string>> = {
  आ: 'अ',
  ई: 'इ',
  ऊ: 'उ',
  ऐ: 'ए',
  औ: 'ओ',
  ऍ: 'ए',
  ऑ: 'अ',
  'ी': 'ि',
  'ू': 'ु',
  'ै': 'े',
  'ौ': 'ो',
  'ॅ': 'े',
  'ॆ': 'े',
  'ॊ': 'ो',
  'ॉ': 'ा',
  '्': '',
}
const lengthMark = /[आईऊऐऔऍऑीूैौॅॆॊॉ्]/g

/**
 * Reduces a stem to what writers agree on, as Lucene's HindiNormalizer does: long vowels become short, and virama is dropped.
 * ॉ is the exception: डॉक्टर is also written डाक्टर, not डोक्टर.
 */
export function withoutLengths(stem: string): string {
  return stem.replace(lengthMark, mark => shortVowels[mark] ?? '')
}
