import { count, plural } from '../numbers.ts'

/** Texts of the time slider, and of moments. */
export const timeTexts = {
  time: {
    title: 'Moment of the answer',
    now: 'now',
    asOf: 'As of',
    asOfNow: 'As of now',
    captures: (number: number, total: number) =>
      number === total ? `all ${plural(total, 'capture')}` : `${count(number)} of ${plural(total, 'capture')}`,
    bin: (label: string, captures: number) => `${label}: ${plural(captures, 'capture')}`,
    chart: (interval: string, total: number) =>
      `Captures per ${interval} on a logarithmic scale, ${count(total)} in all`,
    per: (interval: string) => `captures per ${interval}`,
    slider: 'Moment of the answer',
    sliderB: 'Second moment',
    play: 'Play the history',
    pause: 'Pause',
    earlier: 'Previous change of the index',
    later: 'Next change of the index',
    toNow: 'Now',
    toSeal: 'Seal',
    sealed: 'Sealed',
    sealedText: (moment: string) => `This index is sealed: it shows nothing that came after ${moment}.`,
    compare: 'Compare two moments',
    compareShort: 'Compare',
    stopComparing: 'Stop comparing',
    exact: 'Exact moment, UTC: a day, a day and a time, or back from now as 30d',
    going: (moment: string) => `going to ${moment}`,
    seeking: 'Looking for a difference',
    unread: (text: string) => `“${text}” is not understood as a moment.`,
    forms:
      'Write a day (2025-03-01), a day and a time in UTC (2025-03-01 14:30), or a time back from now (90min, 30d, 6mo, 1y).',
    future: 'This moment has not come yet. The newest answer is as of now.',
    exactHint: '2025-03-01 or 30d',
    short: 'The history is still short: the line can be dragged when the index has captures of two different times.',
    moments: { a: 'A', b: 'B' },
  },
}
