import type { DateSource } from '../page.ts'
import { isCoarse, type WrittenDate } from '../written-dates/date-text.ts'

/** The publish date of a page, and where it was found. */
export interface PublishedDate extends WrittenDate {
  source: DateSource
}

export function withSource(date: WrittenDate | undefined, source: DateSource): PublishedDate | undefined {
  return date && { ...date, source }
}

/** True if `date` is in the month or year of `coarse`, and more precise than it. False if `coarse` has a day. */
export function isWithin(date: WrittenDate, coarse: WrittenDate): boolean {
  if (coarse.precision === 'month') return date.iso.startsWith(coarse.iso.slice(0, 7)) && !isCoarse(date)
  return coarse.precision === 'year' && date.iso.startsWith(coarse.iso.slice(0, 4)) && date.precision !== 'year'
}

const changeWords =
  'modif|updat|(?<!\\p{L})edit(?!ion|or)|changed|revised|reviewed|review due|last post|a[ck]tuali[sz]|geändert|überarbeitet|' +
  'mise à jour|bijgewerkt|aggiorna|atualiza|uppdatera|op{1,2}dater|redigert|päivitet|muokattu|upraven|módosít|frissít|' +
  'güncelle|ενημέρωσ|τροποποί|обновл|обнов[еи]|изменен|оновлен|змінен|ажурира|ažurira|posodob|atnaujin|atjaunin|uuendat|' +
  'muudet|更新|수정|업데이트|تحديث|تعديل|روزرسانی|ویرایش|עודכן|עדכון|अपडेट|अद्यतन|diperbarui|dikemaskini|cập nhật|อัปเดต|อัพเดท|แก้ไข'
const publishWords =
  'publish|publizier|posted|veröffentlicht|erstellt|publié|publicado|publicad|pubblicat|geplaatst|gepubliceerd|publicerad|publisert|' +
  'udgivet|offentliggjort|julkaistu|opublikowan|dodano|publikov|zveřejn|közzétéve|megjelent|publicat|objavljen|објављен|' +
  'опубликован|опубліков|публикуван|yayın|yayım|δημοσι|paskelbt|publicēt|avaldat|掲載|公開|投稿|发布|發布|發佈|发表|發表|게시|등록|입력|' +
  'نشر|انتشار|פורסם|प्रकाशित|diterbitkan|dipublikasikan|xuất bản|เผยแพร่|released'

/** Matches words that precede the date of a change. */
export const modifiedWords = new RegExp(changeWords, 'iu')
/** Matches words that precede a publish date. */
export const publishedWords = new RegExp(publishWords, 'iu')

const change = new RegExp(`(?:${changeWords}).*?(?=${publishWords}|$)`, 'gisu')

/** Removes the part of a line about a change, such as the second half of `5 May 2020 | Updated 7 May 2020`. */
export function withoutChange(text: string): string {
  return text.replace(change, ' ')
}
