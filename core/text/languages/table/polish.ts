import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const polish: Language = {
  code: 'pl',
  stem: snowball('Polish'),
  functionWords: `
    i a w we z ze na do od o po za przez dla przy pod nad przed między bez u się nie że to jest są był była było
    były być ale lub albo czy jak jako gdy kiedy gdzie skąd kto kogo komu co czego czym który która które którzy
    którego której których którym którą ten ta te tego tej tych tym on ona ono oni one ja ty my wy mnie mi cię ci go
    mu ją nas was im jego jej ich swój swoje swoją już tylko też także oraz więc bo aby żeby jeśli ile dlaczego jaki
    jaka jakie jakich`,
  hintWords: 'na się nie do to że jest jak od po za przez oraz',
}
