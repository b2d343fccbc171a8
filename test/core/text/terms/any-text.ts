import fc from 'fast-check'

/** Any text; some are made of pieces that form every kind of border between character classes. */
export const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc
    .array(
      fc.constantFrom(
        'a',
        'Z',
        '9',
        ' ',
        "'",
        '’',
        'é',
        'e\u0301',
        '\u0301',
        '\u00ad',
        '\u200d',
        '\u200b',
        'ß',
        'ﬁ',
        '東',
        '京',
        'と',
        'か\u3099',
        'ｶ',
        'ﾞ',
        'ท',
        'ย',
        '한',
        'ᄒ',
        'ᅡ',
        'ᆫ',
        '𝓗',
        '𠀀',
        '😀',
        '\ufe0f',
        '\ud83d',
        '\ude00',
        'ि',
        'न',
        '\n',
      ),
      { maxLength: 30 },
    )
    .map(parts => parts.join('')),
)
