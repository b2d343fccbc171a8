// Turns the text of a page into tokens, and the tokens into the postings of the page. PlainAnalyzer (plain-analyzer.ts) does the
// same in TypeScript and says what each rule is for; analyzer.ts calls this kernel.
//
// A word is looked up in a table of the words met before. What the table lacks, and all but words of scripts with spaces, is left to
// TypeScript: `scan` returns what it met, and goes on when it is called again.
#include <wasm_simd128.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
#define EXPORT(name) __attribute__((export_name(name)))

enum {
  MAX_UNITS = 1 << 18,  // of one text
  MAX_TOKENS = 1 << 20, // of one page
  MAX_TERMS = 1 << 20,  // in the interner
  MAX_WORD_UNITS = 64,  // of a word that the table keeps
  SLOTS = 1 << 18,
  MAX_WORDS = 190000, // in the table. 262,144 slots of 16 bytes are then three quarters full
  MAX_PROBES = 32,    // of one word: a page could bring words that collide
  SPELLINGS = 1 << 23, // bytes of the long words in the table
  VECTOR_TERMS = 128,
  WORD_ID_BITS = 24, // of the number of a word: below its ending
  ENDING_BITS = 4,   // of a place: below its position
};

// Classes of characters, as in char-table.ts.
enum { SEPARATOR, WORD, SKIPPED, STRIPPED, SURROGATE, FIRST_BIGRAM };
// What `scan` returns.
enum { END, NEW_ASCII_WORD, NEW_WORD, SYMBOLS, OTHER };

static u8 classes[1 << 16];
static u16 text[MAX_UNITS + 128];
static u8 letters[MAX_UNITS + 128];      // per unit: the ASCII letter in lower case or the digit, or 0
static u64 asciiWords[MAX_UNITS / 64 + 2]; // one bit per unit: an ASCII letter or digit
static u64 stops[MAX_UNITS / 64 + 2];      // one bit per unit: the same, any unit above 127, or the end of the text
static u32 length;

static u32 ids[MAX_TOKENS], positions[MAX_TOKENS], endings[MAX_TOKENS], starts[MAX_TOKENS], ends[MAX_TOKENS];
static struct { u32 at, position, count, start, end; } state;

EXPORT("classes") u8 *classesAt(void) { return classes; }
EXPORT("text") u16 *textAt(void) { return text; }
EXPORT("letters") u8 *lettersAt(void) { return letters; }
EXPORT("ids") u32 *idsAt(void) { return ids; }
EXPORT("positions") u32 *positionsAt(void) { return positions; }
EXPORT("endings") u32 *endingsAt(void) { return endings; }
EXPORT("starts") u32 *startsAt(void) { return starts; }
EXPORT("ends") u32 *endsAt(void) { return ends; }
EXPORT("state") void *stateAt(void) { return &state; }
EXPORT("maxUnits") u32 maxUnits(void) { return MAX_UNITS; }
EXPORT("maxTokens") u32 maxTokens(void) { return MAX_TOKENS; }
EXPORT("maxTerms") u32 maxTerms(void) { return MAX_TERMS; }

// The table of words

// `number` is the id of the word's term, and its ending above it. A slot is free if `kind` is 0. A short ASCII word is its own key; that of any other word is half of its hash and the offset of its spelling.
enum { SHORT = 1, LONG = 2, RAW = 3, LENGTH_SHIFT = 2 };
typedef struct { u64 key; u32 kind, number; } Word;
static Word words[SLOTS];
static u32 wordCount;
static u64 spellings[SPELLINGS / 8];
static u32 spelled; // in units of 8 bytes
static u64 seed, factor = 1;
// The word that `scan` returned as new.
static Word *freeSlot;
static Word newWord;
static const u64 *newSpelling;

// The numbers differ in every process, so that no page can know which words collide.
EXPORT("setSeed") void setSeed(u32 a, u32 b, u32 c, u32 d) {
  seed = (u64)a << 32 | b;
  factor = (u64)c << 32 | d | 1;
}

EXPORT("forgetWords") void forgetWords(void) {
  __builtin_memset(words, 0, sizeof words);
  wordCount = spelled = 0;
}
EXPORT("isFull") u32 isFull(void) { return wordCount >= MAX_WORDS || spelled + MAX_WORD_UNITS > SPELLINGS / 8; }

static inline u64 mix(u64 value) {
  value = (value ^ seed) * factor;
  value = (value ^ value >> 32) * 0x9e3779b97f4a7c15ull;
  return value ^ value >> 29;
}

static inline u64 load(const void *at) {
  u64 value;
  __builtin_memcpy(&value, at, 8);
  return value;
}
// The first bytes at an address: 1 to 8 of them.
static inline u64 firstBytes(const u8 *at, u32 bytes) { return load(at) & ~0ull >> (64 - 8 * bytes); }

// Returns 1 and the number, or 0 if the word is new.
static inline u32 findShort(u64 key, u32 *number) {
  u32 slot = (u32)mix(key);
  freeSlot = 0;
  for (u32 probes = 0; probes < MAX_PROBES; probes++, slot++) {
    Word *word = &words[slot & (SLOTS - 1)];
    if (word->key == key && word->kind == SHORT) { *number = word->number; return 1; }
    if (word->kind == 0) { freeSlot = word; break; }
  }
  newWord.key = key;
  newWord.kind = SHORT;
  return 0;
}

static u32 findLong(const u8 *spelling, u32 bytes, u32 kind, u32 *number) {
  freeSlot = 0;
  if (kind >> LENGTH_SHIFT > MAX_WORD_UNITS) return 0;
  u64 hash = kind;
  u32 whole = (bytes - 1) / 8;
  for (u32 i = 0; i < whole; i++) hash = mix(hash ^ load(spelling + 8 * i));
  u64 tail = firstBytes(spelling + 8 * whole, bytes - 8 * whole);
  hash = mix(hash ^ tail);
  u32 slot = (u32)hash;
  for (u32 probes = 0; probes < MAX_PROBES; probes++, slot++) {
    Word *word = &words[slot & (SLOTS - 1)];
    if (word->kind == 0) { freeSlot = word; break; }
    if (word->kind != kind || word->key >> 32 != hash >> 32) continue;
    const u64 *known = spellings + (u32)word->key;
    u32 i = 0;
    while (i < whole && known[i] == load(spelling + 8 * i)) i++;
    if (i == whole && known[i] == tail) { *number = word->number; return 1; }
  }
  newWord.key = hash >> 32 << 32;
  newWord.kind = kind;
  newSpelling = (const u64 *)spelling;
  return 0;
}

static void keepNewWord(u32 number) {
  if (!freeSlot || isFull()) return;
  if (newWord.kind != SHORT) {
    u32 bytes = newWord.kind >> LENGTH_SHIFT << ((newWord.kind & 3) == RAW);
    newWord.key |= spelled;
    for (const u8 *from = (const u8 *)newSpelling;; from += 8, bytes -= 8) {
      spellings[spelled++] = firstBytes(from, bytes < 8 ? bytes : 8);
      if (bytes <= 8) break;
    }
  }
  newWord.number = number;
  *freeSlot = newWord;
  wordCount++;
}

// Tokens

// To be called once a text of so many units is in `text`.
EXPORT("begin") void begin(u32 units) {
  length = units;
  u32 blocks = units / 64 + 1;
  __builtin_memset(text + units, 0, 2 * (64 * blocks - units));
  __builtin_memset(letters + 64 * blocks, 0, 8); // `firstBytes` reads beyond the text
  const v128_t limit = wasm_i16x8_splat(127);
  for (u32 block = 0; block < blocks; block++) {
    u64 ascii = 0, others = 0;
    for (u32 part = 0; part < 4; part++) {
      u32 at = 64 * block + 16 * part;
      v128_t low = wasm_v128_load(text + at), high = wasm_v128_load(text + at + 8);
      v128_t other = wasm_i8x16_narrow_i16x8(wasm_u16x8_gt(low, limit), wasm_u16x8_gt(high, limit));
      v128_t bytes = wasm_u8x16_narrow_i16x8(low, high); // wrong where a unit is above 127
      v128_t small = wasm_v128_or(bytes, wasm_i8x16_splat(32));
      v128_t isLetter = wasm_u8x16_lt(wasm_i8x16_sub(small, wasm_i8x16_splat('a')), wasm_i8x16_splat(26));
      v128_t isDigit = wasm_u8x16_lt(wasm_i8x16_sub(bytes, wasm_i8x16_splat('0')), wasm_i8x16_splat(10));
      v128_t isWord = wasm_v128_andnot(wasm_v128_or(isLetter, isDigit), other);
      wasm_v128_store(letters + at, wasm_v128_and(small, isWord));
      ascii |= (u64)wasm_i8x16_bitmask(isWord) << 16 * part;
      others |= (u64)wasm_i8x16_bitmask(other) << 16 * part;
    }
    asciiWords[block] = ascii;
    stops[block] = ascii | others;
  }
  asciiWords[blocks] = 0;
  stops[units / 64] |= 1ull << units % 64;
}

static inline u32 nextStop(u32 at) {
  u32 block = at / 64;
  u64 bits = stops[block] >> at % 64 << at % 64;
  while (!bits) bits = stops[++block];
  return 64 * block + __builtin_ctzll(bits);
}

static inline u32 endOfAscii(u32 at) {
  u32 block = at / 64;
  u64 bits = ~asciiWords[block] >> at % 64 << at % 64;
  while (!bits) bits = ~asciiWords[++block];
  return 64 * block + __builtin_ctzll(bits);
}

static inline void push(u32 number, u32 start, u32 end) {
  u32 i = state.count++;
  ids[i] = number & ((1 << WORD_ID_BITS) - 1);
  endings[i] = number >> WORD_ID_BITS;
  positions[i] = state.position++;
  starts[i] = start;
  ends[i] = end;
}

static const u64 JS = 'j' | 's' << 8, NET = 'n' | 'e' << 8 | 't' << 16;

// True after the few words that a form with symbols may begin or end with, or that may be joined with the word before. TypeScript
// decides.
static inline u32 maySymbol(u32 start, u32 end) {
  u32 mark = text[end], bytes = end - start, before = start ? text[start - 1] : 0;
  if (before == '-' || before == 0x2010 || before == 0x2011 || (before == '.' && bytes == 1)) return 1;
  if (mark == '+' || mark == '#' || mark == '&') return 1;
  return (bytes == 2 && firstBytes(letters + start, 2) == JS) || (bytes == 3 && firstBytes(letters + start, 3) == NET);
}

static u32 pause(u32 code, u32 start, u32 end) {
  state.start = start;
  state.end = end;
  return code;
}

// Returns the end of the word that begins at `at`, or 0 if a surrogate is part of it.
static u32 endOfWord(u32 at, u32 *end) {
  for (*end = at; at < length; at++) {
    u32 class = classes[text[at]];
    if (class == SURROGATE) return 0;
    if (class == SEPARATOR || class >= FIRST_BIGRAM) break;
    if (class != SKIPPED) *end = at + 1;
  }
  return at;
}

static u32 scanOn(void) {
  for (u32 at = state.at, number;;) {
    u32 start = nextStop(at);
    if (start == length) { state.at = start; return END; }
    u32 end = start, class = classes[text[start]];
    if (letters[start]) {
      end = endOfAscii(start);
      class = end == length ? SEPARATOR : classes[text[end]];
      if (class == SEPARATOR || class >= FIRST_BIGRAM) {
        u32 bytes = end - start;
        state.at = at = end;
        u32 known = bytes <= 8 ? findShort(firstBytes(letters + start, bytes), &number)
                               : findLong(letters + start, bytes, LONG | bytes << LENGTH_SHIFT, &number);
        if (!known) return pause(NEW_ASCII_WORD, start, end);
        push(number, start, end);
        if (maySymbol(start, end)) return pause(SYMBOLS, start, end);
        continue;
      }
    } else if (class == SEPARATOR || class == SKIPPED || class == STRIPPED) {
      at = start + 1;
      continue;
    }
    if (class >= FIRST_BIGRAM || !(at = endOfWord(start, &end))) {
      state.at = start;
      return OTHER;
    }
    state.at = at;
    u32 units = end - start;
    if (!findLong((const u8 *)(text + start), 2 * units, RAW | units << LENGTH_SHIFT, &number)) return pause(NEW_WORD, start, end);
    push(number, start, end);
  }
}

// Appends the tokens of the text from an offset on.
EXPORT("scan") u32 scan(u32 at, u32 position, u32 count) {
  state.at = at;
  state.position = position;
  state.count = count;
  return scanOn();
}

// Continues after a new word, which has this number.
EXPORT("learn") u32 learn(u32 number, u32 isAscii) {
  keepNewWord(number);
  push(number, state.start, state.end);
  if (isAscii && maySymbol(state.start, state.end)) return SYMBOLS;
  return scanOn();
}

// Postings

static u32 traits[MAX_TERMS];                       // see term-traits.ts
static struct { u32 first, last; } places[MAX_TERMS]; // per term, its first and last token in the page, plus 1; 0 between pages
static u32 nextToken[MAX_TOKENS];                   // per token, the next one of its term, plus 1
static u8 unlisted[MAX_TOKENS];                     // per token, 1 if the term vector leaves it out
static u32 postingTerms[MAX_TOKENS], postingEnds[MAX_TOKENS];
// A posting takes at most 11 bytes, and 5 for each place.
static u8 bytes[16 * MAX_TOKENS];
static u8 vector[2 + 3 * VECTOR_TERMS + VECTOR_TERMS / 8];
static u32 vectorBytes;

EXPORT("traits") u32 *traitsAt(void) { return traits; }
EXPORT("unlisted") u8 *unlistedAt(void) { return unlisted; }
EXPORT("postingTerms") u32 *postingTermsAt(void) { return postingTerms; }
EXPORT("postingEnds") u32 *postingEndsAt(void) { return postingEnds; }
EXPORT("bytes") u8 *bytesAt(void) { return bytes; }
EXPORT("vector") u8 *vectorAt(void) { return vector; }
EXPORT("vectorBytes") u32 vectorBytesOf(void) { return vectorBytes; }

static inline u8 *varint(u8 *at, u32 value) {
  for (; value > 127; value >>= 7) *at++ = value | 128;
  *at++ = value;
  return at;
}
static inline u32 varintBytes(u32 value) {
  return value < 1 << 7 ? 1 : value < 1 << 14 ? 2 : value < 1 << 21 ? 3 : value < 1 << 28 ? 4 : 5;
}

static inline u32 placeOf(u32 token) { return positions[token] << ENDING_BITS | endings[token]; }

static u32 listTerms(u32 count, u32 total) {
  u32 terms = 0;
  for (u32 i = 0; i < count; i++) {
    u32 id = ids[i];
    nextToken[i] = 0;
    if (places[id].first) nextToken[places[id].last - 1] = i + 1;
    else {
      places[id].first = i + 1;
      postingTerms[terms++] = id;
    }
    places[id].last = i + 1;
  }
  for (u32 i = count; i < total; i++) {
    u32 id = ids[i];
    if (places[id].first) continue;
    nextToken[i] = 0;
    places[id].first = i + 1;
    postingTerms[terms++] = id;
  }
  return terms;
}

static void writeVector(u32 terms, const u16 *hashes, const u8 *frequencies) {
  u8 *out = varint(vector, terms);
  __builtin_memcpy(out, hashes, 2 * terms);
  u8 *bitmap = out + 2 * terms;
  out = bitmap + (terms + 7) / 8;
  __builtin_memset(bitmap, 0, out - bitmap);
  for (u32 i = 0; i < terms; i++) {
    if (frequencies[i] == 1) continue;
    bitmap[i / 8] |= 1 << i % 8;
    *out++ = frequencies[i];
  }
  vectorBytes = out - vector;
}

// Returns the number of postings.
EXPORT("invert") u32 invert(u32 titleTokens, u32 count, u32 total, u32 titleWeight, u32 someUnlisted) {
  static u16 hashes[VECTOR_TERMS];
  static u8 frequencies[VECTOR_TERMS];
  u32 terms = listTerms(count, total), inVector = 0;
  u8 *out = bytes;
  for (u32 term = 0; term < terms; term++) {
    u32 id = postingTerms[term], first = places[id].first - 1;
    u32 frequency = 0, size = 1, previous = 0, followers = 0, follower = 0, followerBits = 0;
    for (u32 i = first + 1; i > 0; i = nextToken[i - 1]) {
      u32 position = positions[i - 1], behind = i;
      size += varintBytes(placeOf(i - 1) - previous);
      previous = placeOf(i - 1);
      while (behind < count && positions[behind] == position) behind++;
      for (; behind < count && positions[behind] == position + 1; behind++) {
        follower = traits[ids[behind]] >> 16 & 255;
        followerBits |= 1 << (follower & 7);
        followers++;
      }
      frequency += i <= titleTokens ? titleWeight : 1;
    }
    u32 trait = traits[id];
    if (inVector < VECTOR_TERMS && first < count && !(trait >> 24) && !(someUnlisted && unlisted[first])) {
      hashes[inVector] = trait;
      frequencies[inVector++] = frequency < 255 ? frequency : 255;
    }
    out = varint(out, frequency - 1);
    out = varint(out, size);
    *out++ = frequency > 1 ? followerBits : followers == 1 ? follower : 0;
    previous = 0;
    for (u32 i = first + 1; i > 0; i = nextToken[i - 1]) {
      out = varint(out, placeOf(i - 1) - previous);
      previous = placeOf(i - 1);
    }
    places[id].first = 0;
    postingEnds[term] = out - bytes;
  }
  writeVector(inVector, hashes, frequencies);
  return terms;
}
