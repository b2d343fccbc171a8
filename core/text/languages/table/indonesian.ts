import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const indonesian: Language = {
  code: 'id',
  otherCodes: ['in', 'ms'],
  isUndetected: true,
  stem: snowball('Indonesian'),
  functionWords: `
    yang dan di ke dari untuk pada dengan dalam oleh ini itu adalah ialah apa siapa kapan mana bagaimana mengapa
    berapa atau juga tidak akan telah sudah ada sebagai saya kami kita dia mereka`,
  hintWords: 'yang dan di untuk dari ini itu dalam pada ke',
}
