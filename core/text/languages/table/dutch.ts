import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const dutch: Language = {
  code: 'nl',
  stem: snowball('Dutch'),
  joinsCompounds: true,
  functionWords: `
    de het een en of maar want dat die dit deze wat wie waar wanneer waarom hoe hoeveel welk welke ik je jij hij zij
    ze wij we jullie u hem haar hun ons onze mijn jouw uw zijn zich van in op aan met als voor er om dan te bij uit
    naar tot over door na tegen zonder onder tussen is was waren ben bent wordt worden werd werden heeft hebben had
    hadden kan kunnen kon moet moeten zal zullen zou zouden niet geen ook nog al zo`,
  hintWords: 'de het een van en is dat op te in zijn voor met niet aan er door',
}
