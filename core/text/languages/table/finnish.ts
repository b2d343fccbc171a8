import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const finnish: Language = {
  code: 'fi',
  stem: snowball('Finnish'),
  joinsCompounds: true,
  functionWords: `
    ja tai sekä mutta vaan että jos kun koska kuin niin myös on ovat oli olivat ole olla ollut olen ei eivät en et
    emme ette hän hänen he heidän minä minun sinä sinun me te se sen sitä siinä siitä ne niiden tämä tämän tätä
    tässä nämä tuo joka jonka jota jossa josta jotka mikä minkä mitä missä mistä mihin kuka kenen ketä milloin miksi
    miten kuinka mitkä montako kanssa`,
  hintWords: 'ja on ei että se oli hän kun ovat myös joka mutta tai',
}
