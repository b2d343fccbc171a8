import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const turkish: Language = {
  code: 'tr',
  stem: snowball('Turkish'),
  hasDotlessI: true,
  functionWords: `
    ve ile de da bir bu şu o için gibi kadar daha en ki ne neden niçin nasıl nerede nereye nereden kim kimin hangi
    kaç mi mı mu mü ama fakat veya ya hem her hiç olan olarak oldu değil idi ise ben sen biz siz onlar onun bunun
    ona buna onu bunu`,
  hintWords: 've bir bu da için ile de olan gibi en ne',
}
