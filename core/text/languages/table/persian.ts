import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const persian: Language = {
  code: 'fa',
  scripts: ['arabic'],
  stem: snowball('Persian'),
  functionWords: `
    و در به از که این آن را با برای تا بر یا هم نیز یک است بود شد می شود شده کرد کرده خود او ما شما من آنها چه چرا
    کجا کی کدام چگونه آیا چند اما اگر هر`,
}
