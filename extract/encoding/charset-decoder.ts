/** The characters that windows-1252 has in place of the control characters from U+0080 to U+009F. Those that it lacks stay. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

/**
 * Decodes text as the Encoding Standard says. Node 22 decodes windows-1252 as ISO 8859-1, which has control characters in place of
 * quotation marks, dashes and the euro; later releases do not.
 */
export class CharsetDecoder extends TextDecoder {
  override decode(bytes?: Uint8Array, options?: { stream?: boolean }): string {
    const text = super.decode(bytes, options)
    if (this.encoding !== 'windows-1252') return text
    return text.replace(/[\x80-\x9f]/g, unit => WINDOWS_1252[unit.charCodeAt(0) - 0x80] ?? unit)
  }
}
