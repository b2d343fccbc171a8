import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const greek: Language = {
  code: 'el',
  scripts: ['greek'],
  stem: snowball('Greek'),
  functionWords: `
    ο η το οι τα του της των τον την τις τους στο στη στην στον στα στους στις και κι ή να θα δεν μη μην με σε για
    από προς παρά κατά μετά ως αντί που πως πώς πού πότε ποιος ποια ποιο ποιοι ποιες τι γιατί πόσο πόσα πόσοι είναι
    ήταν έχει έχουν είχε αν όταν αλλά όμως ενώ αυτός αυτή αυτό αυτοί αυτές αυτά εγώ εσύ εμείς μου σου μας σας ένας
    μια ένα`,
}
