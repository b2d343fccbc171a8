import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const hindi: Language = {
  code: 'hi',
  scripts: ['devanagari'],
  stem: snowball('Hindi'),
  confusesVowelLengths: true,
  functionWords: `
    का के की को में से पर ने है हैं था थी थे हो और या एक यह ये वह वे इस उस इन उन कि जो तो भी ही तक साथ लिए नहीं क्या
    कौन कब कहाँ क्यों कैसे कितने कितनी कितना किस किसने मैं हम आप`,
}
