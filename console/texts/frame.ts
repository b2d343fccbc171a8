import { plural } from '../numbers.ts'

/** Texts of what surrounds every view, and of failures. */
export const frameTexts = {
  frame: {
    skip: 'Skip to the content',
    home: 'asof, search',
    sections: 'Sections',
    search: 'Search',
    docs: 'Docs',
    theme: (name: string) => `Theme: ${name}. Change it`,
    themes: { system: 'as the system', light: 'light', dark: 'dark' },
    shortcuts: 'Keyboard shortcuts',
    close: 'Close',
    notFound: 'There is no such page',
    notFoundText: 'The address leads nowhere in the console.',
    toSearch: 'Search the index',
  },
  keys: [
    ['/', 'Go to the search box'],
    ['↓ ↑', 'Next and previous suggestion or result'],
    ['Enter', 'Search, or open the selected result'],
    ['Esc', 'Close what is open, or go from a page to the search'],
    ['[ ]', 'Previous and next moment at which the index changed'],
    ['P', 'Play the history, or pause'],
    ['C', 'Compare two moments'],
    ['E', 'Explain the ranking'],
    ['?', 'Show this list'],
  ] as const,
  errors: {
    title: 'The answer did not come',
    retry: 'Try again',
    request: (id: string) => `Request ${id}`,
    offline: 'The server cannot be reached. It may have stopped, or the network is down.',
    // Long waits are in whole minutes, rounded up.
    rateLimited: (seconds: number) =>
      `This server allows an address a number of requests. It takes the next one in ${
        seconds > 90 ? plural(Math.ceil(seconds / 60), 'minute') : plural(Math.max(1, seconds), 'second')
      }.`,
    invalid: 'The request is not valid:',
    unexpected: 'The server answered in a form that the console does not know.',
    broken: 'This part of the console failed.',
  },
}
