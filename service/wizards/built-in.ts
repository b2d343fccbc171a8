import { finance } from './finance.ts'
import { navigation } from './navigation.ts'
import { places } from './places.ts'
import { predictionMarkets } from './prediction-markets.ts'
import { productPrices } from './product-prices.ts'
import { sports } from './sports.ts'
import type { Wizard } from './wizard.ts'

/** The default wizards of a service, in the order of their items. */
export const builtInWizards: readonly Wizard[] = [navigation, finance, sports, productPrices, predictionMarkets, places]
