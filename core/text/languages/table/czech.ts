import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const czech: Language = {
  code: 'cs',
  stem: snowball('Czech'),
  functionWords: `
    a i o u v ve k ke s se z ze na do od po pro při před za nad pod mezi bez u je jsou byl byla bylo byli být jsem
    není ale nebo že když jak jako kdy kde kdo co který která které kterého ten ta to ti ty tento tato toto on ona
    ono oni já my vy jeho její jejich svůj mě mi mu si by ne už jen také proč kolik jaký jaká jaké aby`,
  hintWords: 'se na je že do to jako by pro ve za si od ale',
}
