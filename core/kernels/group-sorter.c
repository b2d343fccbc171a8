// Orders the postings of a group by term: sorts its terms by their bytes, as sortTerms does (term-bytes.ts), and copies the postings, as
// postingsByTerm does (postings-by-term.ts). Terms are distinct, and none ends with a zero byte.

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
#define EXPORT(name) __attribute__((export_name(name)))

enum {
  MAX_TERMS = 1 << 17,
  MAX_TERM_BYTES = 1 << 21,
  MAX_LENGTH = 2048, // of a term, in bytes
  MAX_POSTINGS = 1 << 18,
  MAX_BYTES = 1 << 22, // of all postings
  SLACK = 8,           // bytes are read and written by eights
  FEW = 24,            // so many entries are sorted by insertion
};

static u8 termBytes[MAX_TERM_BYTES + SLACK], sortedTerms[MAX_TERM_BYTES + SLACK];
static u32 termEnds[MAX_TERMS], sortedTermEnds[MAX_TERMS];
// Per posting: its term, its capture and the end of its bytes.
static u32 termIds[MAX_POSTINGS], captures[MAX_POSTINGS], ends[MAX_POSTINGS];
static u8 bytes[MAX_BYTES + SLACK], sortedBytes[MAX_BYTES + 4 * MAX_POSTINGS + SLACK];
static u32 postingEnds[MAX_TERMS]; // per term in order, the end of its postings

EXPORT("termBytes") u8 *termBytesAt(void) { return termBytes; }
EXPORT("sortedTerms") u8 *sortedTermsAt(void) { return sortedTerms; }
EXPORT("termEnds") u32 *termEndsAt(void) { return termEnds; }
EXPORT("sortedTermEnds") u32 *sortedTermEndsAt(void) { return sortedTermEnds; }
EXPORT("termIds") u32 *termIdsAt(void) { return termIds; }
EXPORT("captures") u32 *capturesAt(void) { return captures; }
EXPORT("ends") u32 *endsAt(void) { return ends; }
EXPORT("bytes") u8 *bytesAt(void) { return bytes; }
EXPORT("sortedBytes") u8 *sortedBytesAt(void) { return sortedBytes; }
EXPORT("postingEnds") u32 *postingEndsAt(void) { return postingEnds; }
EXPORT("maxTerms") u32 maxTerms(void) { return MAX_TERMS; }
EXPORT("maxTermBytes") u32 maxTermBytes(void) { return MAX_TERM_BYTES; }
EXPORT("maxPostings") u32 maxPostings(void) { return MAX_POSTINGS; }
EXPORT("maxBytes") u32 maxBytes(void) { return MAX_BYTES; }

typedef struct { u64 key; u32 term; } Entry;
static Entry entries[MAX_TERMS], others[MAX_TERMS];

static inline u32 startOf(const u32 *allEnds, u32 i) { return i == 0 ? 0 : allEnds[i - 1]; }

// Copies by eights, so that up to seven bytes after the copy change.
static inline void copy(u8 *to, const u8 *from, u32 count) {
  for (u32 i = 0; i < count; i += 8) __builtin_memcpy(to + i, from + i, 8);
}

// The eight bytes of a term at a depth, as an integer that sorts as they do; zeros behind its end.
static u64 keyAt(u32 term, u32 depth) {
  u32 start = startOf(termEnds, term) + depth, end = termEnds[term];
  if (start >= end) return 0;
  u64 key;
  __builtin_memcpy(&key, termBytes + start, 8);
  key = __builtin_bswap64(key);
  if (end - start < 8) key &= ~0ull << (64 - 8 * (end - start));
  if (key & 0x8080808080808080ull)
    for (u32 shift = 0; shift < 64; shift += 8) {
      u64 byte = key >> shift & 255;
      if (byte == 0xee || byte == 0xef) key += 0x10ull << shift; // see rankOf in term-bytes.ts
    }
  return key;
}

static void insertionSort(Entry *list, u32 count) {
  for (u32 i = 1; i < count; i++) {
    Entry moving = list[i];
    u32 at = i;
    for (; at > 0 && list[at - 1].key > moving.key; at--) list[at] = list[at - 1];
    list[at] = moving;
  }
}

// Byte by byte from the last; a byte that all keys share is passed over.
static void radixSort(Entry *list, u32 count) {
  static u32 counts[8][256];
  __builtin_memset(counts, 0, sizeof counts);
  for (u32 i = 0; i < count; i++)
    for (u32 byte = 0; byte < 8; byte++) counts[byte][list[i].key >> 8 * byte & 255]++;
  Entry *from = list, *to = others;
  for (u32 byte = 0; byte < 8; byte++) {
    u32 *next = counts[byte], sum = 0;
    if (next[from[0].key >> 8 * byte & 255] == count) continue;
    for (u32 value = 0; value < 256; value++) {
      u32 size = next[value];
      next[value] = sum;
      sum += size;
    }
    for (u32 i = 0; i < count; i++) to[next[from[i].key >> 8 * byte & 255]++] = from[i];
    Entry *swapped = from;
    from = to;
    to = swapped;
  }
  if (from != list) __builtin_memcpy(list, from, count * sizeof(Entry));
}

// Sorts terms that are equal up to a depth.
static void sortTerms(Entry *list, u32 count, u32 depth) {
  if (depth > MAX_LENGTH) return; // only if two terms were equal
  for (u32 i = 0; i < count; i++) list[i].key = keyAt(list[i].term, depth);
  if (count <= FEW) insertionSort(list, count);
  else radixSort(list, count);
  for (u32 from = 0, to; from < count; from = to) {
    for (to = from + 1; to < count && list[to].key == list[from].key; to++) {}
    if (to - from > 1) sortTerms(list + from, to - from, depth + 8);
  }
}

// Returns the number of bytes in `sortedBytes`. Returns −1 if a term is too long, or ends with a zero byte: keys do not tell it from the
// term without that byte.
EXPORT("sort") int sort(u32 terms, u32 postings) {
  static u32 ranks[MAX_TERMS], next[MAX_TERMS + 1], order[MAX_POSTINGS];
  for (u32 t = 0; t < terms; t++) {
    u32 start = startOf(termEnds, t), end = termEnds[t];
    if (end - start > MAX_LENGTH || (end > start && termBytes[end - 1] == 0)) return -1;
    entries[t].term = t;
  }
  sortTerms(entries, terms, 0);
  u32 at = 0;
  for (u32 rank = 0; rank < terms; rank++) {
    u32 term = entries[rank].term, start = startOf(termEnds, term), length = termEnds[term] - start;
    ranks[term] = rank;
    copy(sortedTerms + at, termBytes + start, length);
    sortedTermEnds[rank] = at += length;
  }
  // A counting sort of the postings, which moves the start of each term to its end.
  __builtin_memset(next, 0, 4 * (terms + 1));
  for (u32 p = 0; p < postings; p++) next[ranks[termIds[p]] + 1]++;
  for (u32 t = 1; t <= terms; t++) next[t] += next[t - 1];
  for (u32 p = 0; p < postings; p++) order[next[ranks[termIds[p]]]++] = p;
  u8 *out = sortedBytes;
  u32 i = 0;
  for (u32 t = 0; t < terms; t++) {
    u32 previous = ~0u;
    for (; i < next[t]; i++) {
      u32 p = order[i], gap = captures[p] - previous - 1, start = startOf(ends, p), length = ends[p] - start;
      previous = captures[p];
      for (; gap > 127; gap >>= 7) *out++ = gap | 128;
      *out++ = gap;
      copy(out, bytes + start, length);
      out += length;
    }
    postingEnds[t] = out - sortedBytes;
  }
  return out - sortedBytes;
}
