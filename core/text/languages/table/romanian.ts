import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const romanian: Language = {
  code: 'ro',
  stem: snowball('Romanian'),
  functionWords: `
    și sau dar de la în din pe cu pentru prin despre între după până fără sub un o unui unei unor niște al a ai ale
    cel cea cei cele care ce cine când unde cum cât câți câte că să dacă nu este e sunt era erau fost a au am ai
    avea el ea ei ele eu tu noi voi se îi îl își lui lor acest această acești aceste mai`,
  hintWords: 'de și în la cu pe care nu din un să este mai sau',
}
