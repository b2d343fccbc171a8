/** The digit zero of other scripts than Latin: Arabic, Persian, Devanagari and so on. */
const zeros = [
  0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0x1040, 0x17e0,
]
const nativeDigit = /[٠-٩۰-۹०-९০-৯੦-੯૦-૯୦-୯௦-௯౦-౯೦-೯൦-൯๐-๙໐-໙၀-၉០-៩]/

const nativeDigits = new RegExp(nativeDigit, 'g')

/** True if a text contains decimal digits of a script other than Latin. */
export function hasNativeDigits(text: string): boolean {
  return nativeDigit.test(text)
}

/** Replaces the digits of other scripts by ASCII digits. Leaves full-width digits, which NFKC replaces. */
export function withAsciiDigits(text: string): string {
  return text.replace(nativeDigits, digit => {
    const code = digit.charCodeAt(0)
    const zero = zeros.find(first => code >= first && code < first + 10) ?? code
    return String(code - zero)
  })
}
