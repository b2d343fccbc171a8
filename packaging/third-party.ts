import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { packages } from './compiled-packages.ts'

const root = join(import.meta.dirname, '..')

/** Work of others that a published package contains. Its dependencies are not: they are installed beside it, with their licenses. */
export interface ThirdParty {
  name: string
  /** Whose it is, and what asof made of it. */
  about: string
  /** The folders and files of the clone that contain it, or that it is copied into. */
  places: readonly string[]
  license: () => string
}

const licenseIn = (path: string) => () => readFileSync(join(root, path), 'utf8').trim()
/** The dictionaries of ICU come with the license of Unicode, and after it those of some of the dictionaries. */
const unicodeLicense = () =>
  /^UNICODE LICENSE V3$.*?(?=^-{20})/ms.exec(licenseIn('core/text/dictionaries/LICENSE')())?.[0].trim() ?? ''

export const thirdParties: Readonly<Record<(typeof packages)[number], readonly ThirdParty[]>> = {
  extract: [
    {
      name: 'Unicode CLDR',
      about: 'names of months, and quotation marks, by language',
      places: ['extract/written-dates/months-by-language.ts', 'extract/markdown/quotation-marks.ts'],
      license: unicodeLicense,
    },
  ],
  encoder: [
    {
      name: 'Unicode Character Database',
      about: 'classes and folds of characters, as the tokenizers of BERT use them',
      places: ['encoder/tokenizer/bert-characters.generated.ts'],
      license: unicodeLicense,
    },
  ],
  core: [
    {
      name: 'eld',
      about: 'the recognition of languages by Nito T.M., with one of its models; https://www.npmjs.com/package/eld',
      places: ['core/text/languages/table/packages/eld'],
      license: licenseIn('node_modules/eld/LICENSE'),
    },
    {
      name: 'ICU',
      about: 'its dictionaries of Thai, Lao, Khmer and Burmese, and its algorithm for them',
      places: ['core/text/dictionaries'],
      license: licenseIn('core/text/dictionaries/LICENSE'),
    },
    {
      name: 'Unicode Character Database',
      about: 'classes and folds of characters',
      places: ['core/text/characters/unicode.generated.ts'],
      license: unicodeLicense,
    },
    {
      name: 'OpenCC',
      about: 'pairs of Chinese characters, made from its data; Copyright BYVoid and contributors, Apache License 2.0',
      places: ['core/text/characters/chinese-variants.generated.ts'],
      license: licenseIn('LICENSE'),
    },
  ],
}

/** The notices of a package, as Markdown. */
export function noticesOf(parties: readonly ThirdParty[]): string {
  const sections = parties.map(({ name, about, places, license }) => {
    const files = places.map(place => `\`${place.replace(/^\w+\//, '').replace(/\.ts$/, '.js')}\``).join(', ')
    return `## ${name}\n\n${about} (${files})\n\n\`\`\`text\n${license()}\n\`\`\`\n`
  })
  return `# Third-party notices\n\nThis package contains work of others, under these licenses.\n\n${sections.join('\n')}`
}

/** Writes the notices of a package into its folder. */
export function writeNotices(name: (typeof packages)[number], folder: string): void {
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.md'), noticesOf(thirdParties[name]))
}
