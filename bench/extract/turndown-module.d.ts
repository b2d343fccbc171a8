/** The parts of turndown that the bench uses; the package has no types of its own. */
declare module 'turndown' {
  export default class TurndownService {
    constructor(options?: { headingStyle?: 'atx' | 'setext'; codeBlockStyle?: 'fenced' | 'indented' })
    turndown(html: string): string
  }
}
