import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const french: Language = {
  code: 'fr',
  stem: snowball('French'),
  functionWords: `
    le la les l un une des du de d au aux et ou mais donc ni que qu qui quoi dont où quand comment pourquoi combien
    quel quelle quels quelles lequel laquelle je j tu il elle on nous vous ils elles me m te t se s lui leur leurs y
    en mon ma mes ton ta tes son sa ses notre nos votre vos ce c cet cette ces cela ceci ça à dans par pour sur sous
    sans avec entre chez contre depuis pendant avant après est sont était étaient être suis es sommes êtes fut
    furent a ont avait avaient ai as avons avez avoir ne n pas plus si très aussi comme`,
  hintWords: 'le la les de et des est une un du que dans pour par sur qui au pas avec ne se ce il',
}
