import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const arabic: Language = {
  code: 'ar',
  scripts: ['arabic'],
  stem: snowball('Arabic'),
  functionWords: `
    في من على إلى عن مع ما ماذا لماذا متى أين كيف كم هل أي أية التي الذي الذين اللذان هو هي هم نحن أنا هذا هذه ذلك
    تلك هؤلاء كان كانت كانوا يكون تكون ليس ليست قد لقد لا لم لن أن إن أو و ثم بعد قبل بين عند عندما لدى كل بعض غير
    حتى إذا كما لكن بل منذ خلال حول فيه فيها به بها له لها لهم عليه عليها منه منها أنه أنها مما تم يتم وما ومن وفي
    هناك أكثر`,
}
