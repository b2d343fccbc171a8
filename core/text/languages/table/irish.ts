import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const irish: Language = {
  code: 'ga',
  isUndetected: true,
  stem: snowball('Irish'),
  hintWords: 'an agus na ar is go bhí sé le den',
}
