/**
 * The particles of Korean, which are written at the end of a noun without a space, by the syllable that they may follow:
 * one with a final consonant, one without, or any. They are those that the grammar of the National Institute of Korean
 * Language lists as case markers and auxiliary particles, with their usual combinations.
 */
const afterConsonant =
  words(`은 이 을 과 아 이나 이란 이랑 이며 이고 이라 이라도 이라는 이라고 이든지 이다 이었다 이었던
  으로 으로는 으로도 으로의 으로서 으로써 으로부터`)
const afterVowel = words(`는 가 를 와 야 나 란 랑 며 고 라도 라는 라고 든지 다 였다 였던 와의`)
/** Particles that follow a vowel or the final consonant ㄹ. */
const afterVowelOrL = words('로 로는 로도 로의 로서 로써 로부터')
const afterAny =
  words(`의 에 에는 에도 에만 에서 에서는 에서도 에서의 에서만 에게 에게는 에게도 에게서 께 께서 께서는 한테 한테서
  도 만 만을 만이 만의 까지 까지는 까지도 까지의 부터 부터는 부터의 마다 조차 마저 밖에 보다 보다는 처럼 같이 대로 뿐 하고 과의
  입니다 이야 들 들은 들이 들을 들의 들도 들과 들에게 들에게는 들에게서 들로 들까지`)

const MAX_PARTICLE = 5
const FIRST_SYLLABLE = 0xac00
const LAST_SYLLABLE = 0xd7a3
/** Number of ways in which a syllable can end: 27 final consonants, and none. */
const FINALS = 28
const FINAL_L = 8

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/))
}

/**
 * Returns a Korean word without its longest particle: 서울 of 서울에서.
 *
 * @param word - composed syllables of Hangul.
 * @returns '' if the word does not end with a particle. A word may end like one by chance, as 어린이 does.
 */
export function withoutParticle(word: string): string {
  for (let units = Math.min(MAX_PARTICLE, word.length - 1); units > 0; units--) {
    const noun = word.slice(0, -units)
    if (mayFollow(word.slice(-units), noun.charCodeAt(noun.length - 1))) return noun
  }
  return ''
}

function mayFollow(particle: string, syllable: number): boolean {
  if (syllable < FIRST_SYLLABLE || syllable > LAST_SYLLABLE) return false
  if (afterAny.has(particle)) return true
  const final = (syllable - FIRST_SYLLABLE) % FINALS
  if (final === 0) return afterVowel.has(particle) || afterVowelOrL.has(particle)
  return afterConsonant.has(particle) || (final === FINAL_L && afterVowelOrL.has(particle))
}
