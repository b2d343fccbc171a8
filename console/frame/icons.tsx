const paths = {
  search: 'M7 12.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM11 11l4 4',
  play: 'M4.5 2.5v11l9-5.5z',
  pause: 'M5 2.5v11M11 2.5v11',
  earlier: 'M10.5 3l-5 5 5 5',
  later: 'M5.5 3l5 5-5 5',
  compare: 'M5 2v12M11 2v12M1.5 6.5L5 3l3.5 3.5M7.5 9.5L11 13l3.5-3.5',
  external: 'M6 3H3v10h10v-3M9 2.5h4.5V7M13 3L7.5 8.5',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  filter: 'M2 4h12M4.5 8h7M7 12h2',
  copy: 'M6 6h8v8H6zM3 10H2V2h8v1',
  light:
    'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1v2M8 13v2M1 8h2M13 8h2M3 3l1.4 1.4M11.6 11.6L13 13M13 3l-1.4 1.4M4.4 11.6L3 13',
  dark: 'M13.5 10A6 6 0 0 1 6 2.5a6 6 0 1 0 7.5 7.5z',
  system: 'M2 3h12v8H2zM6 14h4M8 11v3',
  link: 'M6.5 9.5l3-3M7 4.5l1.5-1.5a3.2 3.2 0 0 1 4.5 4.5L11.5 9M9 11.5L7.5 13A3.2 3.2 0 0 1 3 8.5L4.5 7',
  explain: 'M2 13.5V9M6 13.5V4M10 13.5V7M14 13.5V2',
  keyboard: 'M1.5 4h13v8.5h-13zM4 7h.01M7 7h.01M10 7h.01M13 7h-.5M4.500 10h7',
} as const

export type IconName = keyof typeof paths

/** A symbol beside a text, or in a button that has a label. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  )
}
