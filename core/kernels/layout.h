// The data that TypeScript writes and the kernel reads. segment/postings/list-image.ts writes lists, query-record.ts the rest; their offsets equal
// those of these structs. Addresses are 32 bits, as pointers of WebAssembly are.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;
typedef double f64;

#define INLINE static inline __attribute__((always_inline))
#define EXPORT(name) __attribute__((export_name(name)))
#define IMPORT(name) __attribute__((import_module("topk"), import_name(name)))

// generate-kernels.ts defines what TypeScript knows, too: BLOCK, the postings in a full block; WINDOW, the captures in a window;
// MAX_LISTS, the lists of one view; MAX_PHRASE_WORDS, the words of its phrases; MAX_K, the hits; FILLS, BOOSTS and TESTS, the flags of a view (query-record.ts); UNDATED,
// the day of a capture without a publish date; and SATURATION_BASE, k1·(1 − b) of ranking-model.ts.

// A posting list. Offsets count bytes from the list itself, so that its bytes can lie anywhere. The last block, called tail, may be
// shorter than the others, and is not packed.
typedef struct {
  u32 count, full, blocks, windows;
  u32 impacts;          // u8 of each block: no posting of it has a higher impact
  u32 gapWidths;        // u8 of each full block
  u32 frequencyWidths;  // the same
  u32 windowImpacts;    // u8 of each window; 0: no posting
  u32 offsets;          // u32 of each full block: the first of its words, packed gaps and then packed frequencies, counted from `last`
  u32 tail;             // u32: ordinals, then frequencies
  u32 unused[2];
  u32 last[];           // the last ordinal of each block
} List;

// A list in a query.
typedef struct {
  const List *list;
  u32 required; // every match is in the list; these come first, and the first of them leads
  f64 weight;   // 0: the list does not score
  f64 step;     // score of one step of an impact
} Use;

// A list whose next-word signatures rule out captures without reading positions: next-word-signature.ts.
typedef struct {
  u32 use;
  const u8 *signatures; // of each posting; readable up to the next multiple of BLOCK
  u32 hash;
  u32 unused;
} Adjacent;

// A word of a phrase that each match contains.
typedef struct {
  u32 use;     // its list, which is required
  u32 offset;  // from the first word of the phrase
  u32 endings; // that it may have: a bit for each
  u32 isLast;  // of its phrase
} Word;

// One segment in a query.
typedef struct {
  f64 slope;
  u32 from, to; // captures that may match
  u32 captures; // of the segment
  const Use *uses;
  u32 count;
  const Adjacent *adjacents;
  u32 adjacentCount;
  const void *lengths; // u16 of each capture, or u32
  u32 areWide;         // lengths are u32
  const u16 *days;     // publish days; 0: the query has no window of publish dates
  u32 dayFrom, daySpan;
  u32 flags;
  i32 least;   // lowest score of a hit, without its boost: 0 or 1
  i32 *bounds; // room for a bound of each window up to that of the last capture
  const u32 *ended; // a bit for each capture that may have ended before the instant; 0: none has
  const Word *words; // the phrases, one after another
  u32 wordCount;
} View;

typedef struct {
  u32 k, count;
  const View *views; // newest segment first
  u8 *room, *roomEnd; // memory for positions
  i32 floor;          // lowest score of a hit, with its boost
  u32 unused[2];
} Query;

typedef struct {
  i32 score;
  u32 view, ordinal;
} Hit;

// What the kernel asks TypeScript. Each of these may throw, which ends the search.
IMPORT("fill") void fill(u32 view, u32 window);                              // sets the bits in `condition`
IMPORT("matches") u32 matches(u32 view, u32 ordinal);                        // tests a capture whose score competes
IMPORT("positionBlock") u32 positionBlock(u32 view, u32 use, u32 block, u8 *at, u32 most); // copies a block of positions: see openAt
IMPORT("isCurrent") u32 isCurrent(u32 view, u32 ordinal);                    // tests only if a capture is current at the instant
IMPORT("maxBoost") i32 maxBoost(u32 view, u32 window);                       // upper bound of the boosts in a window
IMPORT("boost") i32 boost(u32 view, u32 ordinal);                            // of a capture that matches
IMPORT("isNewer") u32 isNewer(u32 view, u32 ordinal, u32 otherView, u32 other); // of captures of two segments, by `acquiredAt`
IMPORT("goesBefore") u32 goesBefore(u32 view, u32 ordinal, u32 otherView, u32 other); // of captures of two segments with equal scores
IMPORT("checkTime") void checkTime(void);                                    // once in a while
IMPORT("damaged") void damaged(void);                                        // a list or its positions contradict themselves; always throws
