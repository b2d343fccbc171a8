import { foldWord } from '../text/characters/fold.ts'

/**
 * Number words by language, folded, each with its value. Words for 1 are left out, because they are also articles and pronouns. Number
 * words of different languages are not compared: `due` is two only in Italian.
 */
const LISTS: Readonly<Record<string, string>> = {
  en: `two:2 three:3 four:4 five:5 six:6 seven:7 eight:8 nine:9 ten:10 eleven:11 twelve:12 thirteen:13 fourteen:14 fifteen:15 sixteen:16
    seventeen:17 eighteen:18 nineteen:19 twenty:20 thirty:30 forty:40 fifty:50 sixty:60 seventy:70 eighty:80 ninety:90 hundred:100
    hundreds:100 thousand:1000 thousands:1000 million:1e6 millions:1e6 billion:1e9 billions:1e9 trillion:1e12 trillions:1e12 dozen:12 dozens:12
    twice:2 thrice:3 second:2 third:3 fourth:4 fifth:5 sixth:6 seventh:7 eighth:8 ninth:9 tenth:10`,
  de: `zwei:2 drei:3 vier:4 funf:5 sechs:6 sieben:7 acht:8 neun:9 zehn:10 elf:11 zwolf:12 dreizehn:13 vierzehn:14 funfzehn:15 sechzehn:16
    siebzehn:17 achtzehn:18 neunzehn:19 zwanzig:20 dreissig:30 vierzig:40 funfzig:50 sechzig:60 siebzig:70 achtzig:80 neunzig:90
    hundert:100 tausend:1000 million:1e6 millionen:1e6 milliarde:1e9 milliarden:1e9 billion:1e12 billionen:1e12 dutzend:12`,
  fr: `deux:2 trois:3 quatre:4 cinq:5 six:6 sept:7 huit:8 neuf:9 dix:10 onze:11 douze:12 treize:13 quatorze:14 quinze:15 seize:16
    vingt:20 trente:30 quarante:40 cinquante:50 soixante:60 cent:100 cents:100 mille:1000 million:1e6 millions:1e6 milliard:1e9
    milliards:1e9 douzaine:12`,
  es: `dos:2 tres:3 cuatro:4 cinco:5 seis:6 siete:7 ocho:8 nueve:9 diez:10 once:11 doce:12 trece:13 catorce:14 quince:15 veinte:20
    treinta:30 cuarenta:40 cincuenta:50 sesenta:60 setenta:70 ochenta:80 noventa:90 cien:100 ciento:100 mil:1000 millon:1e6
    millones:1e6 docena:12`,
  it: `due:2 tre:3 quattro:4 cinque:5 sei:6 sette:7 otto:8 nove:9 dieci:10 undici:11 dodici:12 tredici:13 quattordici:14 quindici:15
    venti:20 trenta:30 quaranta:40 cinquanta:50 sessanta:60 settanta:70 ottanta:80 novanta:90 cento:100 mille:1000 mila:1000
    milione:1e6 milioni:1e6 miliardo:1e9 miliardi:1e9 dozzina:12`,
  pt: `dois:2 duas:2 tres:3 quatro:4 cinco:5 seis:6 sete:7 oito:8 nove:9 dez:10 onze:11 doze:12 treze:13 catorze:14 quinze:15 vinte:20
    trinta:30 quarenta:40 cinquenta:50 sessenta:60 setenta:70 oitenta:80 noventa:90 cem:100 cento:100 mil:1000 milhao:1e6 milhoes:1e6
    bilhao:1e9 bilhoes:1e9 duzia:12`,
  nl: `twee:2 drie:3 vier:4 vijf:5 zes:6 zeven:7 acht:8 negen:9 tien:10 elf:11 twaalf:12 dertien:13 veertien:14 vijftien:15 twintig:20
    dertig:30 veertig:40 vijftig:50 zestig:60 zeventig:70 tachtig:80 negentig:90 honderd:100 duizend:1000 miljoen:1e6 miljard:1e9`,
  sv: `tva:2 tre:3 fyra:4 fem:5 sex:6 sju:7 atta:8 nio:9 tio:10 elva:11 tolv:12 tjugo:20 trettio:30 fyrtio:40 femtio:50 sextio:60
    sjuttio:70 attio:80 nittio:90 hundra:100 tusen:1000 miljon:1e6 miljoner:1e6 miljard:1e9 miljarder:1e9`,
  pl: 'dwa:2 dwie:2 trzy:3 cztery:4 piec:5 szesc:6 siedem:7 osiem:8 dziewiec:9 dziesiec:10 sto:100 tysiac:1000 tysiecy:1000 milion:1e6',
  ru: 'два:2 две:2 три:3 четыре:4 пять:5 шесть:6 семь:7 восемь:8 девять:9 десять:10 сто:100 тысяча:1000 тысяч:1000 миллион:1e6 миллионов:1e6',
  zh: '二:2 两:2 兩:2 三:3 四:4 五:5 六:6 七:7 八:8 九:9 十:10 百:100 千:1000 万:1e4 萬:1e4 亿:1e8 億:1e8',
}

/** A number word: its language and its value. */
export interface NumberWord {
  language: string
  value: number
}

const numbers = new Map<string, NumberWord[]>()
for (const [language, list] of Object.entries(LISTS))
  for (const entry of list.split(/\s+/)) {
    const [word = '', value] = entry.split(':')
    numbers.set(word, [...(numbers.get(word) ?? []), { language, value: Number(value) }])
  }

/** Returns the numbers that a word may mean. Empty if it is no number word. */
export function numberWord(word: string): readonly NumberWord[] {
  return numbers.get(foldWord(word)) ?? []
}
