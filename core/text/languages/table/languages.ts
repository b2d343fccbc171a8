import { afrikaans } from './afrikaans.ts'
import { albanian } from './albanian.ts'
import { arabic } from './arabic.ts'
import { armenian } from './armenian.ts'
import { azerbaijani } from './azerbaijani.ts'
import { basque } from './basque.ts'
import { catalan } from './catalan.ts'
import { croatian } from './croatian.ts'
import { czech } from './czech.ts'
import { danish } from './danish.ts'
import { dutch } from './dutch.ts'
import { english } from './english.ts'
import { esperanto } from './esperanto.ts'
import { estonian } from './estonian.ts'
import { finnish } from './finnish.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import { greek } from './greek.ts'
import { hindi } from './hindi.ts'
import { hungarian } from './hungarian.ts'
import { icelandic } from './icelandic.ts'
import { indonesian } from './indonesian.ts'
import { irish } from './irish.ts'
import { italian } from './italian.ts'
import type { Language } from './language.ts'
import { LanguageTable } from './language-table.ts'
import { latvian } from './latvian.ts'
import { lithuanian } from './lithuanian.ts'
import { luxembourgish } from './luxembourgish.ts'
import { nepali } from './nepali.ts'
import { norwegian } from './norwegian.ts'
import { persian } from './persian.ts'
import { polish } from './polish.ts'
import { portuguese } from './portuguese.ts'
import { romanian } from './romanian.ts'
import { russian } from './russian.ts'
import type { ScriptName } from './scripts.ts'
import { serbian } from './serbian.ts'
import { sesotho } from './sesotho.ts'
import { slovak } from './slovak.ts'
import { slovenian } from './slovenian.ts'
import { spanish } from './spanish.ts'
import { swedish } from './swedish.ts'
import { tagalog } from './tagalog.ts'
import { tamil } from './tamil.ts'
import { turkish } from './turkish.ts'
import { vietnamese } from './vietnamese.ts'
import { yiddish } from './yiddish.ts'
import { yoruba } from './yoruba.ts'

/** Languages with no rule of their own. */
function writtenIn(scripts: readonly ScriptName[], codes: string): Language[] {
  return codes.split(' ').map(code => ({ code, scripts }))
}

/** The languages of analyzer 1. */
export const languages = new LanguageTable([
  afrikaans,
  albanian,
  arabic,
  armenian,
  azerbaijani,
  basque,
  catalan,
  croatian,
  czech,
  danish,
  dutch,
  english,
  esperanto,
  estonian,
  finnish,
  french,
  german,
  greek,
  hindi,
  hungarian,
  icelandic,
  indonesian,
  irish,
  italian,
  latvian,
  lithuanian,
  luxembourgish,
  nepali,
  norwegian,
  persian,
  polish,
  portuguese,
  romanian,
  russian,
  serbian,
  sesotho,
  slovak,
  slovenian,
  spanish,
  swedish,
  tagalog,
  tamil,
  turkish,
  vietnamese,
  yiddish,
  yoruba,
  { code: 'he', otherCodes: ['iw'], scripts: ['hebrew'] },
  ...writtenIn(['cyrillic'], 'be bg kk ky mk mn tg uk'),
  ...writtenIn(['arabic'], 'ps sd ug ur'),
  ...writtenIn(['arabic', 'latin'], 'ku'),
  ...writtenIn(['devanagari'], 'mr sa'),
  ...writtenIn(['bengali'], 'bn'),
  ...writtenIn(['gurmukhi'], 'pa'),
  ...writtenIn(['gujarati'], 'gu'),
  ...writtenIn(['oriya'], 'or'),
  ...writtenIn(['telugu'], 'te'),
  ...writtenIn(['kannada'], 'kn'),
  ...writtenIn(['malayalam'], 'ml'),
  ...writtenIn(['sinhala'], 'si'),
  ...writtenIn(['thai'], 'th'),
  ...writtenIn(['lao'], 'lo'),
  ...writtenIn(['myanmar'], 'my'),
  ...writtenIn(['georgian'], 'ka'),
  ...writtenIn(['ethiopic'], 'am'),
  ...writtenIn(['khmer'], 'km'),
  ...writtenIn(['hangul'], 'ko'),
  ...writtenIn(['kana'], 'ja'),
  ...writtenIn(['han'], 'zh'),
])
