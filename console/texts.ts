import { frameTexts } from './texts/frame.ts'
import { operateTexts } from './texts/operate.ts'
import { pageTexts } from './texts/page.ts'
import { searchTexts } from './texts/search.ts'
import { timeTexts } from './texts/time.ts'

/** Every English text of the console, by the part that shows it. A text with a number or a name in it is a function. */
export const texts = { ...frameTexts, ...searchTexts, ...timeTexts, ...pageTexts, ...operateTexts }
