import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const hungarian: Language = {
  code: 'hu',
  stem: snowball('Hungarian'),
  functionWords: `
    a az egy és vagy de hogy ha is nem ne van volt voltak lesz mint már még csak meg ki mi mit kit hol hova honnan
    mikor miért hogyan melyik mennyi hány milyen aki ami amely ez azt ezt en ön ő ők mi ti én te ezek azok szerint
    között után alatt`,
  hintWords: 'az és hogy nem is egy ez meg van volt de el',
}
