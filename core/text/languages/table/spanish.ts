import type { Language } from './language.ts'
import { snowball } from './snowball.ts'

export const spanish: Language = {
  code: 'es',
  stem: snowball('Spanish'),
  functionWords: `
    a al ante con contra de del desde durante en entre hacia hasta para por según sin sobre tras el la los las lo un
    una unos unas y e o u ni que pero sino si porque aunque como cuando donde cual cuales quien quienes cuanto
    cuanta cuantos cuantas cuyo cuya yo tú él ella ello ellos ellas nosotros vosotros usted ustedes me te se nos os
    le les mi mis tu tus su sus nuestro nuestra nuestros nuestras este esta esto estos estas ese esa eso esos esas
    aquel aquella es son era eran fue fueron ser sido está están estaba ha han había haber hay no más muy ya también`,
  hintWords: 'el la de que en los del se las por un para con una su al lo como más',
}
