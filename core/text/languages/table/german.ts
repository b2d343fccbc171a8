import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const german: Language = {
  code: 'de',
  stem: snowball('German'),
  spellsOutLetters: true,
  joinsCompounds: true,
  capitalizesNouns: true,
  functionWords: `
    der die das den dem des ein eine einen einem einer eines und oder aber sondern denn weil wenn dass ob als wie
    wer wen wem wessen was wann wo wohin woher warum weshalb wieso welche welcher welches welchen welchem viel viele
    vielen ich du er sie es wir ihr mich dich ihn uns euch mir dir ihm ihnen mein meine dein deine sein seine seinen
    seinem seiner seines ihre ihren ihrem ihrer ihres unser unsere euer eure man sich dies diese dieser dieses
    diesen diesem jene jener jenes jeder jede jedes jeden jedem alle allen aller alles in im an am auf aus bei beim
    bis durch für gegen mit nach ohne seit über um unter von vom vor zu zum zur zwischen während ab ist sind war
    waren bin bist wird werden wurde wurden worden geworden hat haben hatte hatten habe kann können konnte konnten
    muss müssen musste mussten soll sollen sollte sollten will wollen wollte wollten darf dürfen würde würden nicht
    kein keine keinen keinem keiner auch nur noch schon sehr so dann da dort hier doch`,
  hintWords: 'der die und das den von zu mit sich des auf für ist im dem nicht ein eine als auch es an',
}
