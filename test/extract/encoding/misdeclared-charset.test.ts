import { describe, expect, it } from 'vitest'
import { decodeBody } from '../../../extract/encoding/charset.ts'
import { CharsetDecoder } from '../../../extract/encoding/charset-decoder.ts'
import { extractPage } from '../../../extract/extract-page.ts'

/** Encodes a text, with the bytes that the decoder of an encoding has for its characters. */
function encode(text: string, encoding: string): Buffer {
  const decoder = new CharsetDecoder(encoding)
  const table = new Map<string, number[]>()
  for (let byte = 0; byte < 256; byte++) table.set(decoder.decode(Uint8Array.of(byte)), [byte])
  if (/jis|jp|gbk|big5|kr/.test(encoding))
    for (let lead = 0x81; lead < 0xff; lead++)
      for (let trail = 0x40; trail < 0xff; trail++) {
        const char = decoder.decode(Uint8Array.of(lead, trail))
        if (char.length === 1 && !table.has(char)) table.set(char, [lead, trail])
      }
  return Buffer.from([...text].flatMap(char => table.get(char) ?? [0x3f]))
}

const texts = {
  russian:
    'Гавань старого города была утром полна людей, и гости приезжали на лодках с юга, чтобы увидеть новую башню. История башни длинная.',
  capitals:
    'ГАВАНЬ СТАРОГО ГОРОДА БЫЛА УТРОМ ПОЛНА ЛЮДЕЙ, И ГОСТИ ПРИЕЗЖАЛИ НА ЛОДКАХ С ЮГА, ЧТОБЫ УВИДЕТЬ НОВУЮ БАШНЮ.',
  japanese:
    '港の船は朝だけ荷を下ろし、夕方には港は空になります。古い町の塔を見るために、多くの人が南からバスと船で来ました。',
  simplified:
    '老城的港口早上很忙，游客们坐船和坐车从南方来看新的塔。这个塔的历史很长，我们可以在这里看到他们的工作，也可以学习国家的历史。',
  traditional:
    '老城的港口早上很忙，遊客們坐船和坐車從南方來看新的塔。這個塔的歷史很長，我們可以在這裡看到他們的工作，也可以學習國家的歷史。',
  czech:
    'Přístav starého města byl ráno plný lidí, aby viděli novou věž. Často ji opravovali, šest žáků též přišlo. Také u muže.',
  polish:
    'Goście przyjeżdżali łodziami, żeby zobaczyć nową wieżę. Są też źródła i światła, któreś ćwiczą, aż się ściemni.',
  french: 'Été à la plage, où l’on dîne déjà très tôt, près de la forêt; créée, théâtre, élève, naïve, goûter.',
}

describe('bytes of one legacy encoding that are declared as another', () => {
  it.each<[keyof typeof texts, string, string]>([
    ['russian', 'koi8-r', 'windows-1251'],
    ['russian', 'windows-1251', 'koi8-r'],
    ['russian', 'windows-1251', 'windows-1252'],
    ['russian', 'windows-1251', 'iso-8859-1'],
    ['russian', 'iso-8859-5', 'windows-1251'],
    ['japanese', 'shift_jis', 'euc-jp'],
    ['japanese', 'euc-jp', 'shift_jis'],
    ['simplified', 'gbk', 'big5'],
    ['traditional', 'big5', 'gbk'],
    ['simplified', 'gbk', 'iso-8859-1'],
    ['czech', 'windows-1250', 'iso-8859-2'],
    ['polish', 'windows-1250', 'iso-8859-2'],
  ])('are read as what they are: %s in %s as %s', (text, encoding, declared) => {
    expect(decodeBody(encode(texts[text], encoding), `text/html; charset=${declared}`)).toBe(texts[text])
  })

  it.each<[keyof typeof texts, string]>([
    ['russian', 'koi8-r'],
    ['russian', 'windows-1251'],
    ['capitals', 'koi8-r'],
    ['capitals', 'windows-1251'],
    ['japanese', 'shift_jis'],
    ['japanese', 'euc-jp'],
    ['simplified', 'gbk'],
    ['traditional', 'big5'],
    ['czech', 'windows-1250'],
    ['czech', 'iso-8859-2'],
    ['polish', 'iso-8859-2'],
    ['french', 'windows-1252'],
  ])('are not suspected where the declaration is right: %s in %s', (text, encoding) => {
    expect(decodeBody(encode(texts[text], encoding), `text/html; charset=${encoding}`)).toBe(texts[text])
  })

  it('are believed in tables of an encoding, and in few characters', () => {
    const table = Buffer.from(Array.from({ length: 96 }, (_, i) => 0xa0 + i))
    expect(decodeBody(table, 'text/html; charset=windows-1252')).toBe(new CharsetDecoder('windows-1252').decode(table))
    expect(decodeBody(encode('Башня', 'koi8-r'), 'text/html; charset=windows-1251')).toBe('вБЫОС')
  })

  it('give a warning that names both encodings', () => {
    const page = (charset: string) =>
      extractPage(encode(`<p>${texts.russian}`, 'koi8-r'), {
        url: 'https://a.example/',
        contentType: `text/html; charset=${charset}`,
      })
    expect(page('windows-1251').warnings).toEqual([
      { code: 'charset', message: 'declared as windows-1251, read as koi8-u' },
    ])
    expect(page('koi8-r').warnings).toBeUndefined()
  })
})
