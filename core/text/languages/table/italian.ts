import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const italian: Language = {
  code: 'it',
  stem: snowball('Italian'),
  functionWords: `
    il lo la l i gli le un uno una e ed o ma se che chi cui quale quali quanto quanta quanti quante quando dove dov
    come com perché di d del dello della dell dei degli delle a ad al allo alla all ai agli alle da dal dallo dalla
    dall dai dagli dalle in nel nello nella nell nei negli nelle con col su sul sullo sulla sull sui sugli sulle per
    tra fra io tu lui lei noi voi loro mi ti ci vi si ne mio mia tuo tua suo sua suoi sue nostro nostra vostro
    questo questa questi queste quest quello quella quelli quelle quell è sono era erano fu furono essere ha hanno
    ho hai aveva avevano avere c non più anche`,
  hintWords: 'il di che la per un in del non una sono della con le da si dei al lo è',
}
